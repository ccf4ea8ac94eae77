"""Words and phrases that are interchangeable in most sentences."""

from __future__ import annotations

import re

# Each line is a group of synonyms. Words after '>' can replace those before it, but not vice versa.
_GROUPS = """approximately|roughly
almost|nearly
purchased|bought
numerous>many
assist>help
assists>helps
assisted>helped
obtain>get|acquire
obtains>gets|acquires
obtained>acquired|gained
utilize>use
utilizes>uses
utilized>used
utilizing>using
children>kids
physician|doctor
physicians|doctors
automobile>car
automobiles>cars
furthermore|moreover|in addition
therefore|thus|hence|consequently
primarily|mainly|chiefly
frequently|often
rapidly|quickly
demonstrates>shows
demonstrated>showed
demonstrate>show
shows that>demonstrates that|indicates that
show that>demonstrate that|indicate that
showed that>demonstrated that|indicated that
revealed that|showed that|found that
in order to>to
due to|because of|owing to
prior to>before
sufficient>enough
commenced>began|started
began to|started to
begins to|starts to
constructed>built
constructs>builds
created>made
creates>makes
entire>whole
well-known|famous
established in|founded in>set up in
movie>film
movies>films
goal of>aim of|objective of
aim of>goal of|objective of
huge|enormous|vast
kinds of|types of|sorts of
kind of|type of
occurs|happens|takes place
occurred|happened|took place
reduces>lowers|decreases
reduced>lowered|decreased
resides>lives
reside>live
residing>living
several>a number of
difficult to|hard to
subsequently>later|afterwards
usually|normally|generally
wealthy>rich
such as>like
as well as>and also
leads to|brings about
resulted in|led to|brought about
lead to>result in|bring about
contains>includes
contained>included
discovered that>found that
effect on|impact on|influence on
effects on|impacts on
known as>called
located in|situated in
individuals>people
safeguards>protects
researchers|scientists
suggests that|indicates that
suggest that|indicate that
nation>country
nations|countries
consists of|is made up of|is composed of
consist of|are made up of|are composed of
consisted of|was made up of
around the world|worldwide>all over the world
annually|every year|each year>every year|each year
per year>a year|each year
wanted to|wished to
attempted to|tried to
attempt to|try to
attempts to|tries to
employees>staff members|workers
customers|clients
customer|client
discussed>talked about
discuss>talk about
discusses>talks about
believed that|thought that
believes that|thinks that
believe that|think that
stated that|said that
states that|says that
mentioned that>said that
proposes>puts forward|presents
propose>put forward|present
this paper|this article|this work
a variety of|various|different kinds of
novel method>new method
novel approach>new approach|new method
novel framework>new framework
novel technique>new technique
a large number of|a great many|very many
at the age of>aged
passed away>died
was named after>got its name from
is named after>gets its name from
although>even though|though
also known as|also called
took part in|participated in
takes part in|participates in
taking part in|participating in
is able to>can
are able to>can
was able to>could
enables|allows
enabled|allowed
enable|allow
improves|enhances
improve|enhance
improved>enhanced
improving|enhancing
crucial|vital|essential
important role|key role|significant role
compared to|compared with|in comparison with
regarding>about|concerning
with regard to>regarding|concerning
the majority of>most
throughout the world>all over the world
gathered|collected
remained|stayed
remains the>stays the
extremely>very
widely used|commonly used
frequently used|often used
originally>at first
currently>at present|now
a rise in|an increase in
a decline in|a decrease in|a reduction in
elderly people>older people
adolescents>teenagers
infants>babies
pupils>students
adverse effects|side effects
evaluates|assesses
evaluate|assess
evaluated|assessed
evaluating|assessing
investigated>examined
investigates>examines
examines|looks at
verifies>checks
verify>check
specifies>sets
deletes|removes
delete|remove
deleted|removed
modify>change
modifies>changes
modified>changed
is required>is needed
are required>are needed
calculate|compute
calculates|computes
calculated|computed
analyze|examine
analyzed|examined
divided into|split into
incorporates|integrates
incorporate|integrate
anticipated>expected
anticipate>expect
forbids|prohibits
prohibited|forbidden
oversees|supervises
ensures>makes sure
especially|particularly
likewise|similarly
closest|nearest
bigger|larger
seller|vendor
buyer|purchaser
laboratory|lab
limitations|restrictions
author of|writer of
perhaps|possibly|maybe
a broad range|a wide range
completely|entirely
slightly|somewhat
basically|essentially
solely|exclusively
teacher|instructor
teachers|instructors"""


def _read(text: str) -> dict[str, list[str]]:
    """Maps each word to its synonyms."""
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
PHRASES = re.compile(r"(?<![\w-])(?:%s)(?![\w-])" % "|".join(sorted(map(re.escape, SYNONYMS), key=len, reverse=True)))
PREFIXES = ["According to the passage, ", "According to the text, ", "According to the article, ", "Based on the provided context, ",
            "Based on the text, ", "The text states that ", "The document says that ", "The article reports that ", "Additionally, ",
            "In summary, ", "Furthermore, ", "Overall, ", "As stated in the passage, ", "It is noted that ", "The passage mentions that "]
