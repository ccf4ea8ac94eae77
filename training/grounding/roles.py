"""Edits that swap roles: two names, two numbers, subject and object, or the sides of a comparison."""

from __future__ import annotations

import re

from .change import Case, Change, pick, shuffled
from .premise import NUMBER, match_case

SYMMETRIC = re.compile(r"\b(?:met|meets|married|marry|divorced|with|between|near|similar|same|like|versus|vs|both|equal|sibling\w*|"
                       r"cousins?|twins?|friends?|together|respectively|connect\w*|border\w*|marriage|rival\w*|relationship|differ\w*|along|among)\b")
TRANSITIVE = set("""defeat follow replace influence support attack kill criticise criticize sue hire adopt acquire buy teach lead precede
succeed inspire invite reject cause affect inhibit activate regulate drive outperform control fund sponsor assist advise
help employ discover encourage recommend warn accuse arrest shoot rescue save appoint nominate elect promote
train coach raise produce found name own manage capture conquer invade occupy beat overtake surpass dominate induce
mediate reduce increase modulate predict determine explain protect contact approach""".split())
OBJECT = r"(?:the|a|an|his|her|its|their|[A-Z])"


def swap(case: Case, a: tuple[int, int], b: tuple[int, int], label: str, kind: str) -> Change:
    """Returns the claim with the spans a and b swapped, where a is before b."""
    c = case.claim
    x, y = c[a[0]:a[1]], c[b[0]:b[1]]
    if a[0] == 0:
        x, y = x if x[1:2].isupper() or b[0] == 0 else x, match_case(x, y)
    text = c[: a[0]] + y + c[a[1]: b[0]] + x + c[b[1]:]
    shift = len(y) - len(x)
    return Change(text, [(a[0], a[0] + len(y)), (b[0] + shift, b[0] + shift + len(x))], label, kind)


def swap_names(case: Case) -> Change | None:
    """Swaps two names of the same kind."""
    found, kind_of = case.names, case.lexicon.name_kind
    pairs = []
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            between = case.claim[a.end:b.start]
            if kind_of(a.text) != kind_of(b.text) or set(a.text.split()) & set(b.text.split()) or case.claim.count(a.text) > 1 or case.claim.count(b.text) > 1:
                continue
            words = between.split()
            if len(words) < 2 or SYMMETRIC.search(between.lower()) or between.lstrip()[:1] in ",&/(" and len(words) < 5:
                continue
            if re.fullmatch(r"(?:[ ,]|and|or|of|in|the|to|at|a|an|as|well|by|for)+", between) or re.match(r"[,]? (?:and|or) ", between) or re.search(r"(?:,| and| or) $", between):
                continue
            if kind_of(a.text) == "other" and (" " in a.text) != (" " in b.text):
                continue
            pairs.append((a, b))
    pair = pick(case.rng, pairs)
    return swap(case, (pair[0].start, pair[0].end), (pair[1].start, pair[1].end), "not_supported", "names exchanged") if pair else None


def swap_numbers(case: Case) -> Change | None:
    """Swaps two numbers of the same format, such as two percentages or years."""
    found = list(NUMBER.finditer(case.claim))
    pairs = []
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            between = case.claim[a.end():b.start()]
            x, y = a.group(), b.group()
            year = [bool(re.fullmatch(r"1[5-9]\d\d|20\d\d", n)) for n in (x, y)]
            if x == y or year[0] != year[1] or (case.claim[a.end():a.end() + 1] == "%") != (case.claim[b.end():b.end() + 1] == "%"):
                continue
            if ("." in x) != ("." in y) or len(between.split()) < (2 if year[0] else 3) or SYMMETRIC.search(between) or re.search(r"(?:and|or|to|,)\s*$", between):
                continue
            if not year[0] and case.claim[a.end():a.end() + 1] != "%" and re.match(r" (\w+)", case.claim[a.end():]) and case.claim[a.end():].split()[:1] != case.claim[b.end():].split()[:1]:
                continue
            pairs.append((a, b))
    pair = pick(case.rng, pairs)
    return swap(case, pair[0].span(), pair[1].span(), "contradicted", "numbers exchanged") if pair else None


def swap_from_to(case: Case) -> Change | None:
    """Turns "from A to B" into "from B to A"."""
    m = re.search(r"\bfrom ((?:the )?[A-Z\d][\w.,%]*(?: (?!to\b)[A-Z\w][\w%]*)?|[a-z]+) to ((?:the )?[A-Z\d][\w.]*\w?%?|[a-z]+(?=[.,;]| in\b| by\b| and\b|$))", case.claim)
    if not m or m[1] == m[2] or case.negated(m.start()) or m[1].lower() in ("time", "head", "day") or re.search(r"(?:rang\w+|everything|anywhere) $", case.claim[: m.start()]):
        return None
    if m[1][0].isdigit() != m[2][0].isdigit() or m[1][0].isupper() != m[2][0].isupper() or (m[1][0].isdigit() and not re.search(r"\b(?:increas|decreas|rise|rose|fell|drop|grew|reduc|improv|chang|mov)\w*", case.lower)):
        return None
    return swap(case, m.span(1), m.span(2), "contradicted", "from-to exchanged")


def change_voice(case: Case) -> Change | None:
    """Changes the voice of a verb but leaves the names in place, so that agent and patient swap."""
    claim, lex = case.claim, case.lexicon
    for m in re.finditer(r"\b(is|are|was|were) ([a-z]+) by (?=%s)" % OBJECT, claim):
        for lemma, tag in lex.forms.get(m[2], ()):
            if tag in ("part", "past") and lemma in TRANSITIVE and not case.negated(m.start()):
                new = lex.verb(lemma, {"is": "s", "are": "base"}.get(m[1], "past"))
                return case.result(m.start(), m.end() - 1, new, "not_supported", "voice")
    for m in re.finditer(r"\b([A-Za-z]+) ([a-z]{4,}) (?=%s)" % OBJECT, claim):
        for lemma, tag in lex.forms.get(m[2], ()):
            if lemma not in TRANSITIVE or tag not in ("past", "s") or case.negated(m.start(2)):
                continue
            if m[1].lower() in ("is", "are", "was", "were", "has", "have", "had", "been", "be", "to", "and", "that", "which", "who", "a", "the", "also", "his", "her", "of") \
                    or re.search(r"\b(?:has|have|had|was|were|is|are|of|to|in|by) (?:\w+ )?$", claim[: m.start(2)][-25:].rsplit(m[1], 1)[0]) or re.search(r"\bto\b", claim[m.end():][:25]):
                continue
            many = m[1].lower() in ("they", "we", "people") or m[1].endswith("s") and m[1][0].islower() and not m[1].endswith(("ss", "us", "is"))
            be = ("were" if many else "was") if tag == "past" else "is"
            return case.result(m.start(2), m.end(2), f"{be} {lex.verb(lemma, 'part')} by", "not_supported", "voice")
    return None


def swap_comparison(case: Case) -> Change | None:
    """Swaps the sides of a comparison."""
    m = re.match(r"((?:The )?[A-Za-z]+(?: [A-Z][a-z]+)?) (?:is|are|was|were|has|have|had) [\w ]{0,30}\bthan ((?:the )?[A-Za-z]+(?: [A-Z][a-z]+)?)\.?$", case.claim)
    if not m or m[1].lower() in ("it", "he", "she", "they", "there", "this", "that") or not m[2][0].isupper() and m[2][:3] != "the" or case.negated(m.end()):
        return None
    return swap(case, m.span(1), m.span(2), "contradicted", "comparison sides")


def change_speaker(case: Case) -> Change | None:
    """Attributes a statement to another speaker of the premise."""
    claim, lower = case.claim, case.lower
    for speaker in shuffled(case.rng, case.premise.speakers):
        role = re.sub(r" [A-Z]$", "", speaker)
        m = re.search(r"\b%s\b" % re.escape(role.lower()), lower)
        if not m or role == "PhD" and m.start() == 0:
            continue
        if not re.match(r"(?: [A-Z]\b)?(?: \w+ly| also)? (?:said|say|think|thought|want|suggest|propos|explain|mention|believe|ask|agree|"
                        r"disagree|argu|present|point|recommend|prefer|describ|report|introduc|state|claim|felt|object|consider|emphasi|not)", claim[m.end():]):
            continue
        pool = [s for s in case.premise.speakers if not re.sub(r" [A-Z]$", "", s).lower() in lower]
        other = pick(case.rng, pool)
        if other:
            end = m.end() + (2 if re.match(r" [A-Z]\b", claim[m.end():]) else 0)
            name = re.sub(r" [A-Z]$", "", other) if end == m.end() else other
            if claim[m.start()].islower():
                name = name if any(w.isupper() or w == "PhD" for w in name.split()) else name.lower()
            return case.result(m.start(), end, name, "not_supported", "attribution")
    m = re.search(r"\b[Aa]ccording to ([A-Z][a-z]+(?: [A-Z][a-z]+)*)", claim)
    if m:
        pool = [n for n in case.premise.names if case.lexicon.name_kind(n) == case.lexicon.name_kind(m[1]) and n not in claim and not set(n.split()) & set(m[1].split())]
        new = pick(case.rng, pool)
        if new and not case.stays_true(new, m[1]):
            return case.result(m.start(1), m.end(1), new, "not_supported", "attribution")
    return None
