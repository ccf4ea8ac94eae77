"""Words and phrases that can stand for each other in most sentences, in every form that is given."""

from __future__ import annotations

import re

# Each line is a group; a word after '>' may replace those before it, but not the other way round.
_GROUPS = """approximately|roughly
purchased|bought|acquired>bought|purchased
numerous>many
assist|help
assists|helps
assisted>helped
obtain>get|acquire
obtained>acquired|gained
obtains>gets|acquires
requires>needs
utilizes>uses
utilize>use
utilized>used
utilizing>using
children>kids
physician>doctor
physicians>doctors
doctors>physicians
doctor>physician
automobile>car
however>nevertheless|nonetheless
therefore>thus|hence|consequently
primarily|mainly|chiefly
mostly>for the most part
frequently|often
rapidly|quickly
demonstrates>shows
demonstrated>showed
demonstrate>show
indicates>shows
indicated>showed
shows that>demonstrates that|indicates that
show that>demonstrate that|indicate that
showed that>demonstrated that|indicated that
in order to>to
due to|because of|owing to
prior to>before
sufficient>enough
commenced>began|started
commence>begin|start
began to|started to
begins|starts
constructed>built
constructs>builds
created>made
creates>makes
entire>whole
well-known|famous
established in>founded in|set up in
founded in>established in|set up in
film|movie
films|movies
goal|aim|objective
goals|aims|objectives
huge|enormous
illness|disease
illnesses|diseases
significant difference>meaningful difference
kinds of|types of|sorts of
kind of|type of
approach>method
approaches>methods
nearly|almost
occurs|happens|takes place
occurred|happened|took place
reduces|lowers|decreases
reduced>lowered|decreased
reside>live
resides>lives
residing>living
several>a number of
difficult to|hard to
subsequently>later|afterwards
provided with>given
typically|usually|generally
wealthy>rich
such as>like
as well as>and also
results in|leads to|brings about
resulted in|led to|brought about
result in|lead to|bring about
contains>includes
contained>included
discovered that>found that
effects of|impacts of
effect on|impact on|influence on
effects on|impacts on
known as|called
located in|situated in
individuals>people
protects>safeguards
received>got|was given
study found|study showed
suggests that|indicates that
nation>country
nations>countries
countries>nations
consists of|is made up of|is composed of
consist of|are made up of|are composed of
consisted of|was made up of
more than>over
maintain>keep up
worldwide|around the world|globally
annually|every year|each year|yearly
per year|a year|each year
wanted to|wished to
attempted to|tried to
attempt to|try to
attempts to|tries to
employees>staff members|workers
customers|clients
customer|client
discussed>talked about
discuss>talk about
believed that|thought that
believes that|thinks that
believe that|think that
stated that|said that
states that|says that
mentioned that|said that
explained that>said that
proposes>puts forward|presents
proposed>put forward
propose>put forward|present
this paper|this article|this work
experiments show|experiments demonstrate
a variety of|various|different kinds of
a novel>a new
novel method>new method
novel approach>new approach
a large number of|a great many|very many
at the age of>aged
passed away>died
was named after>got its name from
is named after>gets its name from
because|since|as>since
although|though|even though
while|whereas>while
also known as|also called
in addition to|besides|on top of
took part in|participated in
takes part in|participates in
taking part in|participating in
has the ability to>can
is able to|can
are able to|can
was able to|could>managed to
enables|allows|lets>allows
enable>allow
enabled>allowed
permits>allows
permitted>allowed
improves>enhances
improve|enhance
improved>enhanced
improving|enhancing
crucial|vital|essential
important role|key role|significant role
compared to|compared with|in comparison with
regarding|concerning|about>about
with regard to>regarding|concerning
a majority of|most
the majority of|most
first-ever>first
following|after>after
throughout the world>all over the world
assistance>help|aid
error>mistake
errors>mistakes
mistake|error
mistakes|errors
gathered|collected
remained|stayed
remains|stays
portion of|part of
extremely|very
previously|earlier|before>earlier
frequently used|often used
widely used|commonly used
selected|chosen|picked
initially|at first|at the beginning
originally|at first
eventually>in the end
currently|at present|now>at present
rise in|increase in
increase in|rise in|growth in
decrease in|decline in|reduction in
decline in|decrease in
physicians and>doctors and
elderly people>older people
adolescents>teenagers
infants>babies
pupils>students
surgery|operation>surgery
mortality>death rate
medication>medicine
medications>medicines
adverse effects|side effects
hypertension>high blood pressure
myocardial infarction>heart attack
feline>cat
stopped|ceased>stopped
ended|finished>ended
revealed that|showed that|found that
evaluates|assesses
evaluate|assess
evaluated|assessed
investigate|examine|study>examine
investigated|examined
investigates|examines
achieves|reaches|attains>attains
achieved>attained
verifies>checks
verify>check
specifies>gives|sets
deletes|removes
delete|remove
deleted|removed
returns>gives back
modify|change>change
modifies>changes
modified>changed
automatically>on its own
by default>unless set otherwise
must be>has to be
must not be>may not be
is required>is needed
are required>are needed"""


def _read(text: str) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for line in text.splitlines():
        left, arrow, right = line.partition(">")
        words = left.split("|")
        for word in words:
            options = [w for w in (right.split("|") if arrow else words) if w != word]
            if options:
                out.setdefault(word, []).extend(o for o in options if o not in out.get(word, ()))
    return out


SYNONYMS = _read(_GROUPS)
PHRASES = re.compile(r"(?<![\w-])(?:%s)(?![\w-])" % "|".join(sorted(map(re.escape, SYNONYMS), key=len, reverse=True)), re.I)
PREFIXES = ["According to the passage, ", "According to the text, ", "According to the article, ", "Based on the provided context, ",
            "Based on the text, ", "The text states that ", "The document says that ", "The article reports that ", "Additionally, ",
            "In summary, ", "Furthermore, ", "Overall, ", "As stated in the passage, ", "It is noted that ", "The passage mentions that "]
