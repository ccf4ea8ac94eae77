"""Edits that reword or shorten a claim, so that it is still entailed."""

from __future__ import annotations

import random
import re
from typing import Callable

from .lexicon import Lexicon
from .synonyms import PHRASES, PREFIXES, SYNONYMS
from .premise import MONTHS, STOP, match_case, replace, upper_first

NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
MONTH = "(?:%s)" % "|".join(MONTHS)
# Omitting part of a sentence with one of these words may make it stronger, so nothing is omitted.
NOT_MONOTONE = re.compile(r"\b(?:not|no|never|none|nothing|nobody|neither|nor|only|if|unless|without|whether|any|every|each|all|most|few|fewer|"
                   r"less|least|rarely|hardly|seldom|barely|cannot|except|but|than|first|last|until|half|majority|exclusively|solely|deni\w+|den[yi]\w*|fail\w*|refus\w*|"
                   r"prevent\w*|lack\w*|unlike|instead|rather|alleg\w+|claim\w*|suppos\w+|would|\w{3,}est|sole|unable|impossible|doubt\w*|despite|false|myth|"
                   r"may|might|could|same|both|between|together|total|combined|respectively|unlikely)\b|n['’]t\b|%|\?", re.I)
MEANINGFUL_LY = set("""only family supply apply rely early likely unlikely rarely hardly nearly monthly daily weekly yearly partially partly
allegedly reportedly possibly probably potentially supposedly mostly mainly usually generally typically formerly barely merely
approximately roughly exactly previously initially originally eventually formally falsely wrongly virtually theoretically
almost seemingly apparently presumably fully completely entirely occasionally sometimes unofficially nominally reply assembly
multiply bully italy july fly ally rally holy ugly friendly elderly lonely costly deadly lovely lively orderly timely
respectively purely solely exclusively relatively fairly slightly negatively inversely independently randomly currently only
directly indirectly newly locally globally closely poorly badly highly conditionally jointly separately""".split())


def lower_first(text: str, lexicon: Lexicon) -> str:
    """Returns text with its first letter in lower case, unless it starts with a name."""
    m = re.match(r"[A-Z][a-z]*\b(?!['’.-])", text)
    if not m or m.group() == "I":
        return text
    word = m.group()
    common = word.lower() in lexicon.pos and lexicon.rank.get(word.lower(), 9999) < 6000 and lexicon.name_kind(word) == "other"
    if word.lower() in STOP or common and not re.match(r" [A-Z]", text[m.end():]):
        return text[0].lower() + text[1:]
    return text


Keep = Callable[[str, Lexicon, random.Random], "str | None"]


def synonyms(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Replaces one to three words or phrases by synonyms."""
    spots: list[tuple[int, int]] = []
    for m in PHRASES.finditer(claim.lower() if len(claim.lower()) == len(claim) else claim):
        spots.append((m.start(), m.end()))
    if not spots:
        return None
    chosen = sorted(rng.sample(spots, min(len(spots), rng.choice((1, 1, 2, 3)))), reverse=True)
    for start, end in chosen:
        old = claim[start:end]
        if start and old[0].isupper() or old == "due to" and re.match(r" (?:be|start|begin|have)\b", claim[end:]):
            continue
        new = rng.choice(SYNONYMS[old.lower()])
        if new.lower() not in claim.lower():
            claim = replace(claim, start, end, match_case(old, new))[0]
    return claim


def number_format(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Changes the format of a number: 1,000 and 1000, fifteen and 15, % and percent."""
    spots: list[tuple[int, int, str]] = []
    for m in re.finditer(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\d.,]*\d|-)", claim):
        spots.append((m.start(), m.end(), m.group().replace(",", "")))
    for m in re.finditer(r"(?<![\w.,-])\d{5,7}(?![\w,-]|\.\d)", claim):
        spots.append((m.start(), m.end(), f"{int(m.group()):,}"))
    for m in re.finditer(r"(?<=\d)(%| percent\b| per cent\b)", claim):
        spots.append((m.start(), m.end(), rng.choice([" percent", " per cent"]) if m.group() == "%" else "%"))
    for m in re.finditer(r"(?<![\w$€£.,:/-])([2-9]|1\d)(?= [a-z]{3,}s\b)(?! (?:%s))" % "|".join(("hours", "percent", "is", "was")), claim):
        if m.start() and not re.search(r"(?:[A-Z]\w*|\d|page|section|figure|table|least|most|chapter|%s) $" % MONTH, claim[: m.start()]):
            spots.append((m.start(), m.end(), NUMBER_WORDS[int(m.group())]))
    for m in re.finditer(r"(?<![\w-])(?:%s)(?= [a-z]{3,}s\b)" % "|".join(NUMBER_WORDS[2:]), claim):
        spots.append((m.start(), m.end(), str(NUMBER_WORDS.index(m.group()))))
    return _replace_one(claim, spots, rng)


def date_format(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Changes the format of a date: 14 March 1879 and March 14, 1879."""
    spots = []
    for m in re.finditer(r"\b(\d{1,2}) (%s) (\d{4})\b" % MONTH, claim):
        spots.append((m.start(), m.end(), f"{m[2]} {m[1]}, {m[3]}"))
    for m in re.finditer(r"\b(%s) (\d{1,2}), (\d{4})(,?)" % MONTH, claim):
        spots.append((m.start(), m.end(), f"{m[2]} {m[1]} {m[3]}" + m[4] * (m.start() < 5)))
    return _replace_one(claim, spots, rng)


def contraction(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Contracts a negation ("is not" to "isn't") or expands it."""
    spots = []
    for m in re.finditer(r"\b(is|are|was|were|does|do|did|has|have|had|would|could|should) not\b(?! only)", claim):
        spots.append((m.start(), m.end(), m[1] + "n't"))
    for m in re.finditer(r"\b(is|are|was|were|does|do|did|has|have|had|would|could|should)n['’]t\b", claim):
        spots.append((m.start(), m.end(), m[1] + " not"))
    for m in re.finditer(r"\b(?:cannot|can['’]t)\b", claim):
        spots.append((m.start(), m.end(), "can't" if m.group() == "cannot" else "cannot"))
    return _replace_one(claim, spots, rng)


def _replace_one(claim: str, spots: list[tuple[int, int, str]], rng: random.Random) -> str | None:
    """Applies one of the replacements (start, end, new text) and corrects the article."""
    if not spots:
        return None
    start, end, new = rng.choice(spots)
    return replace(claim, start, end, match_case(claim[start:end], new) if start == 0 else new)[0]


def move(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Moves a time from the end to the front or back, in sentences of one clause."""
    if re.search(r"[;:]|\b(?:that|which|who|because|when|where|while|if|after|before|since|whose|as|and|or|than)\b", claim) or len(claim.split()) > 22:
        return None
    time = r"(?:[Ii]n (?:(?:early |late |mid-)?(?:%s )?\d{4}|the (?:early |late )?\d{4}s|%s)|[Oo]n (?:%s )?\d{1,2}(?: %s)?,? ?(?:\d{4})?|[Oo]n %s \d{1,2}(?:, \d{4})?)" % (MONTH, MONTH, MONTH, MONTH, MONTH)
    m = re.fullmatch(r"(%s),? ([^,]{15,}?)(\.?)" % time, claim)
    if m and not re.search(r"\b(?:in|on) [^,]*\d{4}|\bto \w+", m[2]):
        return upper_first(m[2]) + " " + m[1][0].lower() + m[1][1:] + m[3]
    m = re.fullmatch(r"([^,]{15,}?) (%s)(\.?)" % time, claim)
    if m and m[2][0].islower() and not re.search(r"\bto \w+|\bin \d{4}", m[1]):
        return upper_first(m[2]) + ", " + lower_first(m[1], lexicon) + m[3]
    return None


def drop_leading(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops a connective at the start."""
    m = re.match(r"(?:However|Moreover|In addition|Additionally|Furthermore|Therefore|Thus|Also|Finally|Indeed|Meanwhile|Overall|"
                 r"Consequently|In conclusion|In fact|As a result|For example|For instance|Notably|In particular|Besides), ", claim)
    return upper_first(claim[m.end():]) if m and len(claim) - m.end() > 20 else None


def drop_time(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops a time or place at the start."""
    if NOT_MONOTONE.search(claim) or re.search(r"\b(?:population|record|price|number|was \d|were \d)\b", claim):
        return None
    m = re.match(r"(?:[Ii]n|[Oo]n|[Dd]uring) (?:the |early |late )?(?:%s |\d{1,2},? ?)*(?:\d{4}s?)?, " % MONTH, claim)
    return upper_first(claim[m.end():]) if m and re.search(r"\d", m.group()) and len(claim) - m.end() > 25 else None


def drop_parenthesis(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops text in parentheses."""
    text = re.sub(r"\s*\((?![^)]*\b(?:not|no|except)\b)[^()]{2,}\)(?=[\s.,;:]|$)", "", claim)
    return text if text != claim and len(text.split()) >= 4 else None


def drop_apposition(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops an apposition or a non-restrictive clause, between commas or at the end."""
    if NOT_MONOTONE.search(claim):
        return None
    m = re.search(r", (?:which (?:is|was|are|were|has|had|can|includes?|means)|who (?:is|was|are|were|has|had)|including|such as|especially|also known as|particularly|"
                  r"known as|a|an) [^,;.()]{3,60}(?:,(?= (?:is|was|are|were|has|had|[a-z]+ed)\b)|(?=\.?$))", claim)
    if not m or (m.group().startswith((", a ", ", an ")) and not (m.group().endswith(",") and re.search(r"[A-Z][\w.]+$", claim[: m.start()]))):
        return None
    if re.search(r", (?:and|or) ", m.group()) or claim[: m.start()].count(",") and m.group().startswith((", including", ", such")):
        return None
    text = claim[: m.start()] + claim[m.end():]
    return text if len(text.split()) >= 5 else None


def drop_adverb(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops an adverb before a verb or adjective."""
    if NOT_MONOTONE.search(claim):
        return None
    spots = [(m.start(), m.end()) for m in re.finditer(r"(?<= )(?:also|very|really|quite|just|even|[a-z]{4,}ly) (?=[a-z]{3,})", claim)
             if m.group().strip() not in MEANINGFUL_LY and not re.match(r"(?:if|when|because|after|before|as|and|or|in|on|by|with|to|for|from|at|of)\b", claim[m.end():])
             and not re.search(r"\b(?:more|so|too|as|how|and|or|be|been|was|is|are|were|the|this|that|most) $", claim[: m.start()])
             or m.group() == "also " and re.search(r"\b(?:is|was|are|were|has|had|can|will) $", claim[: m.start()])]
    if not spots:
        return None
    start, end = rng.choice(spots)
    return replace(claim, start, end, "")[0]


def drop_clause(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops the second of two clauses joined by "and" or a semicolon."""
    if NOT_MONOTONE.search(claim):
        return None
    ends = [m.start() for m in re.finditer(r"; |, and (?:the|he|she|it|they|we|his|her|its|this|was|is|has|had|were|are)\b", claim)]
    ends = [e for e in ends if len(claim[:e].split()) >= 6]
    if not ends or re.match(r"(?:When|While|Although|Though|Because|Since|As|After|Before|In|On|At|For|By|With|During)\b", claim):
        return None
    return claim[: rng.choice(ends)].rstrip(" ,;") + "."


def drop_conjunct(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops one item of a list of three."""
    if NOT_MONOTONE.search(claim):
        return None
    word = r"[A-Za-z][\w'’-]*(?: [\w'’-]+)?"
    m = re.search(r"(?<=[a-z] )(%s), (%s),? and (%s)(?=[.;]|$)" % (word, word, word), claim)
    if not m or len({w[0].isupper() for w in m.groups()}) > 1 or re.search(r"\d|\b(?:three|four|five|two)\b", claim[: m.end()][-120:]) or any(
            w.split()[0].lower() in STOP for w in m.groups()) or re.search(r"[,:(] ?$", claim[: m.start()]) or re.search(r", \S+ $|, \S+ \S+ $", claim[: m.start()]):
        return None
    if any(len(w.split()) > 1 for w in m.groups()) and not all(w[0].isupper() for w in m.groups()):
        return None
    return claim[: m.start()] + rng.choice([f"{m[1]} and {m[3]}", f"{m[1]} and {m[2]}"]) + claim[m.end():]


def swap_conjuncts(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Swaps two words joined by "and" or "or"."""
    spots = []
    for m in re.finditer(r"(?<=[a-z,] )([A-Z][a-z]+|[a-z]{3,}) (and|or) ([A-Z][a-z]+|[a-z]{3,})(?=[.,;]|$)", claim):
        a, b = m[1], m[3]
        if a[0].isupper() == b[0].isupper() and a[-1] == b[-1] and a not in STOP and b not in STOP and not re.search(
                r"(?:[A-Z]\w*|,|\band|\bor|-) $", claim[: m.start()]) and (a[0].isupper() or a[-2:] == b[-2:]) and b[-2:] != "ed" and "respectively" not in claim:
            if re.search(r"\b(?:of|in|by|for|with|between|both|from|on|the|are|is|was|were|to) $", claim[: m.start()]):
                spots.append((m.start(), m.end(), f"{b} {m[2]} {a}"))
    return _replace_one(claim, spots, rng)


def drop_first_name(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Drops a first name that the lexicon knows: "Marie Curie" to "Curie"."""
    spots = [(m.start(), m.end(), m[2]) for m in re.finditer(r"(?<![A-Z-] )(?<![a-z] [A-Z] )\b([A-Z][a-z]+) ([A-Z][a-z]{3,})(?=[\s,.]|['’]s)(?! [A-Z\"(])(?!, (?:Jr|Sr))", claim)
             if m[1] in lexicon.first_names and m[2] in lexicon.surname_set and not re.search(r"[A-Z][\w.’'-]* (?:and |of )?$|\bthe $|[\"“]$|[Ss]aint $", claim[: m.start()])]
    if len(spots) != 1 or claim.count(spots[0][2]) > 1:
        return None
    return _replace_one(claim, spots, rng)


def voice(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Turns "A was written by B" into "B wrote A" or back, if A and B are simple."""
    verbs = "write direct produce design build found discover invent publish paint compose record create develop release illustrate".split()
    m = re.fullmatch(r"((?:The |It|[A-Z])[\w' ]{0,60}?) (was|were) ([a-z]+) by ((?:the )?[A-Z][\w.]*?(?: [A-Z][\w.]*?)*)( in \d{4})?(\.?)", claim)
    if m and not NOT_MONOTONE.search(claim) and not re.search(r"\b(?:which|who|that|and|is|was|has)\b", m[1]):
        for lemma, tag in lexicon.forms.get(m[3], ()):
            if tag in ("part", "past") and lemma in verbs and m[1] != "They":
                return upper_first(m[4]) + " " + lexicon.verb(lemma, "past") + " " + lower_first(m[1], lexicon) + (m[5] or "") + m[6]
    m = re.fullmatch(r"((?:The )?[A-Z][\w.]*(?: [A-Z][\w.]*)*) ([a-z]+) ((?:the|a|an) [a-z]+(?: [A-Z][\w]*)*|[A-Z]\w+(?: [A-Z]\w+)*)( in \d{4})?(\.?)", claim)
    if m and m[1] not in ("He", "She", "They", "It", "We", "I", "This", "These"):
        for lemma, tag in lexicon.forms.get(m[2], ()):
            if tag == "past" and lemma in verbs and not m[3].endswith("s"):
                return f"{upper_first(m[3])} was {lexicon.verb(lemma, 'part')} by {lower_first(m[1], lexicon)}" + (m[4] or "") + m[5]
    return None


def country(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Replaces the name of a country or organisation by its short or long form."""
    spots = []
    for a, b in (("United States", "U.S."), ("United States", "US"), ("United Kingdom", "UK"), ("United States of America", "USA"),
                 ("European Union", "EU"), ("United Nations", "UN"), ("UK", "United Kingdom"), ("Soviet Union", "USSR")):
        for m in re.finditer(r"(?<=\b[Tt]he )%s(?![\w.]| [A-Z]| of)" % re.escape(a), claim):
            spots.append((m.start(), m.end(), b if not (b.endswith(".") and claim[m.end():m.end() + 1] == ".") else "US"))
    return _replace_one(claim, spots, rng)


def prefix(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Prepends an introduction such as "According to the text"."""
    if rng.random() < 0.7 or not claim[:1].isupper() or claim[-1] != "." or re.search(
            r"^(?:However|But|And|So|Also|Then|Yes|No|According|In \w+|Overall|Thus|Therefore|To|Based)\b|[.:?!] [A-Z]", claim):
        return None
    return rng.choice(PREFIXES) + lower_first(claim, lexicon)


EDITS: tuple[tuple[Keep, float], ...] = (
    (synonyms, 6), (number_format, 6), (date_format, 8), (contraction, 5), (move, 6), (drop_leading, 6), (drop_time, 3),
    (drop_parenthesis, 3), (drop_apposition, 4), (drop_adverb, 2), (drop_clause, 3), (drop_conjunct, 4), (swap_conjuncts, 3),
    (drop_first_name, 3), (voice, 8), (country, 4), (prefix, 0.5))


def apply(claim: str, lexicon: Lexicon, rng: random.Random) -> str | None:
    """Applies one to three edits in weighted random order. Returns None if none applies."""
    left, text = rng.choice((1, 1, 2, 2, 3)), claim
    order = sorted(EDITS, key=lambda e: -rng.random() ** (1 / e[1]))
    order.sort(key=lambda e: e[0] is prefix)  # a prefix is added last
    for edit, _ in order:
        new = edit(text, lexicon, rng)
        if new and new != text:
            text, left = new, left - 1
            if not left:
                break
    return text if text != claim else None
