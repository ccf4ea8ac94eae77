"""Edits that remove the support of a claim: names, numbers, dates, units and details. See also scope.py and roles.py."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Callable, Iterable

from . import details, tables
from .lexicon import Lexicon
from .premise import (DAYS, MONEY, MONTHS, NUMBER, STOP, WORD, Premise, Span, content, names, replace, may_apply_to, stem)

NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot|hardly|few|any)\b|n['’]t\b")
SMALL = "one two three four five six seven eight nine ten eleven twelve".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
MAGNITUDES = ["hundred", "thousand", "million", "billion", "trillion"]


@dataclass(frozen=True)
class Change:
    """An edited claim that the premise does not support.

    Each span is the (start, end) of unsupported words in text. label is contradicted, not_mentioned, or not_supported if
    either could apply. kind is the name of the edit.
    """
    text: str
    spans: list[tuple[int, int]]
    label: str
    kind: str


@dataclass
class Case:
    """A claim and its premise, with data that several edits use."""
    claim: str
    premise: Premise
    lexicon: Lexicon
    rng: random.Random

    def __post_init__(self):
        self.lower = self.claim.lower()
        self.content = content(self.claim)
        self._names: list[Span] | None = None

    @property
    def names(self) -> list[Span]:
        """Names in the claim. The first word counts only if the lexicon or the premise has it as a name."""
        if self._names is None:
            found = []
            for n in names(self.claim):
                if n.text.split()[-1].rstrip(".") in tables.TITLES:
                    continue
                if n.text[0] == "?":
                    bare = n.text[1:]
                    if bare not in self.premise.names and self.lexicon.name_kind(bare) == "other":
                        continue
                    n = Span(n.start, n.end, bare)
                found.append(n)
            self._names = found
        return self._names

    def stays_true(self, new: str, old: str) -> bool:
        """Reports whether the premise may also support the claim with new instead of old."""
        return may_apply_to(self.premise, self.content, new, old)

    def negated(self, start: int) -> bool:
        """Reports whether there is a negation among the four words before start."""
        return bool(NEGATED.search(" ".join(self.claim[max(0, start - 40): start].split()[-4:]).lower()))

    def result(self, start: int, end: int, new: str, label: str, kind: str) -> Change | None:
        """Returns the claim with [start:end] replaced by new, or None if that changes nothing."""
        text, spans = replace(self.claim, start, end, new)
        return Change(text, spans, label, kind) if text != self.claim else None


Edit = Callable[[Case], "Change | None"]


def shuffled(rng: random.Random, items: Iterable) -> list:
    """Returns the items in random order."""
    out = list(items)
    rng.shuffle(out)
    return out


def pick(rng: random.Random, items: list):
    """Returns a random item, or None if the list is empty."""
    return rng.choice(items) if items else None


def _overlaps(a: str, b: str) -> bool:
    """Reports whether two names share a word or one is the acronym of the other."""
    x, y = set(re.findall(r"\w+", a.lower())) - STOP, set(re.findall(r"\w+", b.lower())) - STOP
    if x & y or a.lower() in b.lower() or b.lower() in a.lower() or {stem(w)[:4] for w in x} & {stem(w)[:4] for w in y}:
        return True
    for p, q in ((a, b), (b, a)):
        if p.replace(".", "").isupper() and "".join(w[0] for w in q.split() if w[0].isupper()) == p.replace(".", ""):
            return True
    return False


def name_from_premise(case: Case) -> Change | None:
    """Replaces a name by another of the same kind from the premise."""
    kind_of = case.lexicon.name_kind
    for n in shuffled(case.rng, case.names):
        if n.text not in case.premise.text:
            continue
        kind = kind_of(n.text)
        words = len(n.text.split())
        pool = [x for x in case.premise.names
                if kind_of(x) == kind and x not in case.claim and not _overlaps(x, n.text)
                and (kind != "other" or len(x.split()) == words and x.isupper() == n.text.isupper()
                     and x.endswith("s") == n.text.endswith("s"))
                and not any(set(x.split()) & set(y.split()) and set(n.text.split()) & set(y.split()) for y in case.premise.names)]
        for new in shuffled(case.rng, pool)[:4]:
            if not case.stays_true(new, n.text):
                return case.result(n.start, n.end, new, "not_supported", "name from premise")
    return None


def foreign_name(case: Case, kind: str, old: str = "") -> str | None:
    """Returns a name from the lexicon that is not in the premise; old is the name that it replaces."""
    lex, rng = case.lexicon, case.rng
    if kind == "person":
        first, words = old.split()[0] if old else "", len(old.split())
        gender = lex.first_names.get(first) or rng.choice("fm")
        name = rng.choice(lex.first_by_gender.get(gender) or ["Robin"])
        if lex.surnames and (words != 1 or first not in lex.first_names):
            surname = rng.choice(lex.surnames[:800])
            name = surname if words == 1 else name + " " + surname
    elif kind == "place":
        name = rng.choice(lex.countries if old in lex.country_set else lex.known_cities)
    elif kind == "nationality":
        name = rng.choice(lex.nationalities)
    else:
        name = pick(rng, [o for o in rng.sample(lex.organisations, min(8, len(lex.organisations)))
                          if o.split()[-1] in tables.ORG_WORDS])
    return name if name and not any(w.lower() in case.premise.lower for w in name.split() if w.lower() not in STOP) else None


def name_foreign(case: Case) -> Change | None:
    """Replaces a name by one of the same kind that is not in the premise."""
    for n in shuffled(case.rng, case.names):
        kind = case.lexicon.name_kind(n.text)
        if kind == "other" or " the " in n.text or n.text.split()[0].rstrip(".") in tables.TITLES:
            continue
        if re.match(r" [A-Z\d]|-", case.claim[n.end:n.end + 2]):
            continue
        new = foreign_name(case, kind, n.text)
        if new and not _overlaps(new, n.text) and (kind != "organisation" or " " in n.text):
            return case.result(n.start, n.end, new, "not_supported", "name foreign")
    return None


def _bound(case: Case, start: int) -> int:
    """Returns 1 if the words before a number make it a lower bound, -1 for an upper bound, else 0."""
    before = case.lower[max(0, start - 24): start]
    if re.search(r"(?:more than|over|at least|above|exceed\w*|minimum of|greater than|older than|higher than|from)\s[$€£]?$", before):
        return 1
    if re.search(r"(?:less than|under|at most|below|up to|fewer than|within|maximum of|lower than|until|almost|nearly)\s[$€£]?$", before):
        return -1
    return 0


def other_number(rng: random.Random, text: str, bound: int) -> str:
    """Returns a clearly different number in the format of text: larger if bound is 1, smaller if -1."""
    value = float(text.replace(",", ""))
    decimals = len(text.partition(".")[2])
    up, down = (1.25, 1.5, 2, 3), (0.75, 0.6, 0.5, 0.3)
    factor = rng.choice(up if bound > 0 else down if bound < 0 else up + down)
    new = value * factor
    if decimals:
        return f"{new:,.{decimals}f}" if "," in text else f"{new:.{decimals}f}"
    if value <= 12:
        new = value + rng.choice([1, 2, 3, 4] if bound >= 0 or value < 2 else [-1])
    elif value >= 100 and value % 10 == 0:
        unit = 10 ** (len(str(int(value))) - len(str(int(value)).rstrip("0")))
        new = max(unit, round(new / unit) * unit)
        if new == value:
            new += unit if bound >= 0 else -unit
    new = int(new) if int(new) != value else int(value) + 2
    return f"{new:,}" if "," in text else str(new)


def _is_year(case: Case, start: int, end: int) -> bool:
    """Reports whether claim[start:end] is a year."""
    word = case.claim[start:end]
    return bool(re.fullmatch(r"1[0-9]\d\d|20\d\d", word)) and not re.match(
        r"%%|['’]s| (?:people|men|women|patients|%s)" % "|".join(u[3] for u in case.lexicon.units if u[3]), case.claim[end:end + 20])


def number(case: Case) -> Change | None:
    """Replaces a number by another one, sometimes from the premise."""
    claim, rng = case.claim, case.rng
    found = [m for m in list(NUMBER.finditer(claim)) + list(MONEY.finditer(claim))
             if not _is_year(case, m.start(), m.end()) and not re.search(r"(?:%s)\.? $" % "|".join(MONTHS), claim[: m.start()])
             and not re.match(r" (?:%s)" % "|".join(MONTHS), claim[m.end():])]
    found += re.finditer(r"(?<!-)\b(?:%s)\b(?!-)" % "|".join(SMALL[1:] + TENS + MAGNITUDES[2:]), claim)
    found += re.finditer(r"(?<=the |his |her |its )(?:%s)(?= [a-z])(?! (?:time|place|of|two|half|and|to|one)\b)" % "|".join(ORDINALS[:6]), claim)
    for m in shuffled(rng, found):
        old, bound = m.group(), _bound(case, m.start())
        if case.negated(m.start()):
            continue
        seen = old in case.premise.text
        if old[0].isdigit():
            if re.search(r"(?:figure|table|section|version|chapter|world war|type|phase|level|article|python|no\.|step|page)s? $", case.lower[: m.start()]):
                continue
            new = other_number(rng, old, bound)
            near = [x for x in case.premise.numbers if x != old and x not in claim and len(x) == len(old) and not bound
                    and float(x.replace(",", "")) > 0 and ("." in x) == ("." in old) and not case.stays_true(x, old)
                    and not re.fullmatch(r"1[5-9]\d\d|20\d\d", x)]
            if near and rng.random() < 0.5:
                new = rng.choice(near)
            if claim[m.end():m.end() + 1] == "%" and float(new.replace(",", "")) > 100:
                new = other_number(rng, old, -1)
        else:
            row = next(r for r in (SMALL, TENS, MAGNITUDES[2:], ORDINALS[:6]) if old in r)
            i = row.index(old)
            new = pick(rng, [w for j, w in enumerate(row) if j != i and (j > i or bound <= 0) and (j < i or bound >= 0)
                             and (j or row is not SMALL)])
            digits = str(row.index(new) + 1) if new and row is SMALL else "#"
            seen = seen or row is SMALL and str(i + 1) in case.premise.numbers
            if not new or row is not MAGNITUDES and case.stays_true(new, old) or case.stays_true(digits, old):
                continue
        if float(new.replace(",", "")) != float(old.replace(",", "")) if new[0].isdigit() else True:
            return case.result(m.start(), m.end(), new, "contradicted" if seen else "not_supported", "number")
    return None


def date(case: Case) -> Change | None:
    """Replaces a year, decade, month, day, weekday, season or century."""
    claim, rng = case.claim, case.rng
    spots: list[tuple[int, int, str]] = []
    for m in NUMBER.finditer(claim):
        if _is_year(case, m.start(), m.end()):
            near = [x for x in case.premise.numbers if re.fullmatch(r"1[0-9]\d\d|20\d\d", x) and x not in claim
                    and not case.stays_true(x, m.group())]
            far = str(min(2029, int(m.group()) + rng.choice((-20, -11, -10, -7, -5, -4, -3, -2, -1, 1, 2, 3, 4, 6, 9, 10))))
            spots.append((m.start(), m.end(), rng.choice(near) if near and rng.random() < 0.6 else far))
        elif re.search(r"\b(?:%s) $" % "|".join(MONTHS), claim[: m.start()]) or re.match(r" (?:%s)" % "|".join(MONTHS), claim[m.end():]):
            if "." not in m.group() and "," not in m.group() and 0 < int(m.group()) <= 31:
                spots.append((m.start(), m.end(), str((int(m.group()) + rng.randrange(2, 26)) % 28 + 1)))
    for m in re.finditer(r"\b(1[5-9]|20)(\d)0s\b", claim):
        spots.append((m.start(), m.end(), m[1] + str((int(m[2]) + rng.choice((-3, -2, -1, 1, 2))) % 10) + "0s"))
    for m in re.finditer(r"\b(1\d|20)th(?=[ -]century)", claim):
        spots.append((m.start(), m.end(), rng.choice([str(c) + "th" for c in range(13, 21) if str(c) != m[1]])))
    for row in (MONTHS, DAYS):
        for m in re.finditer(r"\b(?:%s)\b" % "|".join(row), claim):
            if m.group() not in ("March", "May") or re.search(r"(?:\d|\b[Ii]n|of|early|late) $", claim[: m.start()]) or re.match(r" \d", claim[m.end():]):
                spots.append((m.start(), m.end(), rng.choice([w for w in row if w != m.group()])))
    for m in re.finditer(r"(?<=the )(?:spring|summer|autumn|winter)(?= of|[.,])", claim):
        spots.append((m.start(), m.end(), rng.choice([w for w in ("spring", "summer", "autumn", "winter") if w != m.group()])))
    for start, end, new in shuffled(rng, spots):
        old = claim[start:end]
        if new != old and not case.negated(start) and not case.stays_true(new, old) and not re.search(r"\b(?:before|after|since|until|by|prior to) $", case.lower[:start]):
            return case.result(start, end, new, "contradicted" if old in case.premise.text else "not_supported", "date")
    return None


UNIT_WORDS = tables.others(tables.groups(
    """second|hour|day;minute|hour|second|day;hour|minute|day;day|week|month|hour;week|month|day|year;month|week|year|day
year|month|week|decade;decade|century|year;kilometre|metre;kilometer|meter|mile;mile|metre|yard;metre|kilometre|centimetre
meter|foot|mile;foot|metre|inch;inch|foot|yard;centimetre|metre|inch;millimetre|centimetre;pound|kilogram|ounce;kilogram|gram|tonne
gram|kilogram|milligram;tonne|kilogram;acre|square mile;hectare|square kilometre;byte|kilobyte;kilobyte|megabyte|gigabyte
megabyte|gigabyte|kilobyte;dollar|euro|yen;euro|dollar;gallon|pint|barrel;litre|gallon|millilitre;liter|gallon"""))


def unit(case: Case) -> Change | None:
    """Replaces the unit of a number by another unit of the same dimension."""
    lex = case.lexicon
    count = r"(\d[\d.,]*|%s|hundred|thousand|million|billion)" % "|".join(SMALL + TENS)
    found = []
    for m in re.finditer(r"\b" + count + r"([ -])(?:US )?([a-z]+)\b", case.lower):
        word = m[3]
        single = word if word in UNIT_WORDS else next((u for u in UNIT_WORDS if word == lex.plural(u)), None)
        if single:
            found.append((m, single))
    for m, single in shuffled(case.rng, found):
        if case.negated(m.start()) or re.match(r"[ -](?:old|ago|after|later)\b.*\bmonth", case.lower[m.end():m.end() + 20]):
            continue
        new = case.rng.choice(UNIT_WORDS[single])
        new = new if m[3] == single else lex.plural(new)
        if not case.stays_true(new, m[3]):
            return case.result(m.start(3), m.end(3), new, "contradicted" if m.group() in case.premise.lower else "not_supported", "unit")
    return None


def premise_detail(case: Case) -> Change | None:
    """Appends a time or place from another sentence of the premise."""
    claim = case.claim.rstrip(" .")
    has_time = bool(re.search(r"\d{4}|%s" % "|".join(MONTHS), claim))
    has_place = any(case.lexicon.name_kind(n.text) == "place" for n in case.names)
    if len(claim.split()) > 30 or re.search(r"[?!]$|\bin \w+$", claim):
        return None
    pool = []
    for i, sentence in enumerate(case.premise.sentences):
        if not re.search(r"\b(?:in|near|at) (?:[A-Z]|\d{4})", sentence) or len(case.content & case.premise.stems(i)) >= 0.34 * len(case.content):
            continue
        if not has_time:
            pool += re.findall(r"\bin (?:(?:%s) )?(?:1[5-9]|20)\d\d\b" % "|".join(MONTHS), sentence)
        if not has_place:
            pool += [p for p in re.findall(r"\b(?:in|near|at) [A-Z][a-z]+(?: [A-Z][a-z]+)*", sentence)
                     if case.lexicon.name_kind(p.split(" ", 1)[1]) == "place"]
    new = pick(case.rng, [p for p in pool if p.split()[-1] not in claim])
    if not new:
        return None
    return Change(claim + " " + new + ".", [(len(claim) + 1, len(claim) + 1 + len(new))], "not_supported", "detail from premise")


def foreign_detail(case: Case) -> Change | None:
    """Appends a clause, reason, time or place that is not in the premise."""
    claim = case.claim.rstrip(" .")
    if len(claim.split()) > 32 or re.search(r"[?!:\"”]$", claim) or len(claim.split()) < 4:
        return None
    rng = case.rng
    tail = rng.choice(details.REASONS if rng.random() < 0.15 else details.TAILS)
    for slot, value in (("NUM", lambda: str(rng.randrange(2, 60))), ("CITY", lambda: foreign_name(case, "place")),
                        ("COUNTRY", lambda: foreign_name(case, "place", next(iter(case.lexicon.countries), ""))),
                        ("PERSON", lambda: foreign_name(case, "person")), ("ORG", lambda: foreign_name(case, "organisation")),
                        ("DAY", lambda: rng.choice(DAYS)), ("MONTH", lambda: rng.choice(MONTHS)),
                        ("YEAR", lambda: str(rng.randrange(1950, 2024)))):
        if slot in tail:
            word = value()
            if not word or word in case.premise.text:
                return None
            tail = tail.replace(slot, word)
    if re.match(r" (?:in|since) \d| in [A-Z]", tail) and re.search(r"\d{4}|\bin \w+$", claim):
        return None
    new = {w.lower() for w in WORD.findall(tail)} - STOP
    if len(new & case.premise.words) > 0.5 * len(new):
        return None
    start = len(claim) + (1 if tail[0] == " " else 2)
    return Change(claim + tail + ".", [(start, len(claim) + len(tail))], "not_mentioned", "detail foreign")


def adjective(case: Case) -> Change | None:
    """Inserts an adjective that is not in the premise before a noun."""
    lex, found = case.lexicon, []
    for m in re.finditer(r"\b(a|an|the|his|her|its|their|A|An|The) ([a-z]{4,})(?=[.,]| (?:of|in|is|was|were|are|that|for|to|and|by|with|at|on)\b)", case.claim):
        pos = lex.pos.get(m[2]) or lex.pos.get(m[2][:-1]) or ()
        if "n" in pos and "a" not in pos and not case.negated(m.start()) and not m[2].endswith(("ing", "ed", "ly", "st")) \
                and m[2] not in ("same", "number", "end", "rest", "most", "case", "fact", "order", "time", "lack", "addition", "part"):
            found.append(m)
    m = pick(case.rng, found)
    new = case.rng.choice(details.ADJECTIVES)
    if not m or new.lower() in case.premise.lower:
        return None
    text, spans = replace(case.claim, m.start(2), m.start(2), new + " ")
    return Change(text, [(spans[0][0], spans[0][1] - 1)], "not_mentioned", "adjective inserted")
