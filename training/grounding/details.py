"""Details that edits insert into claims and that no premise supports."""

ADJECTIVES = """controversial annual secret temporary unpublished award-winning government-funded two-year privately-owned
short-lived low-cost state-owned mandatory volunteer-run experimental four-day classified bilingual wooden anonymous
student-led sold-out costly nationwide hand-made long-delayed unofficial fifth bestselling abandoned open-air celebrated
rejected unfinished patented illegal portable expensive seasonal Italian Canadian Australian Brazilian Swedish
military religious wealthy retired elderly disputed""".split()
TAILS = """, which surprised many observers|, according to a recent survey|, which cost more than $NUM million
 for the first time in NUM years|, as critics had predicted|, although the plan was later abandoned|, despite strong public opposition
, which led to several lawsuits| in order to save money| because of budget cuts| after a long legal dispute
, a decision that was widely criticised|, with financial help from PERSON| at the request of PERSON| together with PERSON
, and won a national award for it| shortly before moving to CITY| during a visit to CITY|, as PERSON confirmed in an interview
, which was reported by ORG|, funded by a grant from COUNTRY|, at a cost of $NUM million| in front of NUM people
, which took almost NUM months|, mostly for financial reasons| because of bad weather| to avoid paying taxes
, making it the most popular in COUNTRY|, and later became popular in COUNTRY|, but only on weekends| under a secret agreement
, and this has been confirmed by NUM independent studies|, as required by law|, without any training| at no extra cost
, with a success rate of NUM%|, especially among older people| after consulting a lawyer| on a rainy DAY in MONTH
 in MONTH YEAR| in CITY| in YEAR| near CITY| in COUNTRY| on DAY evening| every DAY| since YEAR| while living in CITY
 within NUM minutes| at least NUM times| in less than NUM hours| for religious reasons| for health reasons| as a joke
 with the support of local schools| against the advice of experts| by mistake| in response to public pressure
, which has caused concern among parents|, and the results were published in YEAR|, a first in the history of COUNTRY""".replace("\n", "|").split("|")
REASONS = """ because of a lack of money| because of a technical error| in order to win a bet| to honour PERSON
 because of political pressure| in order to attract tourists| due to a shortage of staff| to reduce energy costs
 because of a promise to PERSON| as part of a research project in CITY""".replace("\n", "|").split("|")
