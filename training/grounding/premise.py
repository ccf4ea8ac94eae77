"""Names, numbers, sentences and content words of claims and premises."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .tables import STOP, TITLES

WORD = re.compile(r"[A-Za-z]+(?:[-'’][A-Za-z]+)*")
NUMBER = re.compile(r"(?<![\w.,/:$€£-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/:]|[.,-]\d|-\w)")
MONEY = re.compile(r"(?<=[$€£])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/:]|[.,-]\d)")
NAME = re.compile(r"[A-Z][\w’'.-]*[\w](?: (?:(?:of|the|de|van|von|der|and the|of the) )?[A-Z][\w’'.-]*[\w])*")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"”)]*\s+(?=[\"“(]?[A-Z0-9])|\n+")
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NOT_NAMES = STOP | {w.lower() for w in MONTHS + DAYS} | set("""however although despite according additionally furthermore
therefore thus since like unlike finally instead meanwhile first second many most several some each both one two three
another other people yes overall based between results patients these professor""".split())


@dataclass(frozen=True)
class Span:
    """A part of a text, from start to end."""
    start: int
    end: int
    text: str


class Premise:
    """A premise. Properties are computed on first use."""

    def __init__(self, text: str):
        self.text, self.lower = text, text.lower()
        self._stems: dict[int, set[str]] = {}

    @cached_property
    def words(self) -> set[str]:
        """The words in lower case."""
        return set(re.findall(r"[a-z]+(?:-[a-z]+)*", self.lower))

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences or lines."""
        return [s for s in SENTENCE_END.split(self.text) if s]

    @cached_property
    def lowered(self) -> list[str]:
        """The sentences in lower case."""
        return [s.lower() for s in self.sentences]

    def stems(self, i: int) -> set[str]:
        """Returns the stems of the content words of sentence i."""
        if i not in self._stems:
            self._stems[i] = content(self.sentences[i])
        return self._stems[i]

    @cached_property
    def names(self) -> list[str]:
        """The names, without uncertain ones and titles."""
        found = dict.fromkeys(n.text for n in names(self.text) if n.text[0] != "?" and len(n.text) < 40)
        return [n for n in found if "'s " not in n and "’s " not in n and n.split()[-1].rstrip(".") not in TITLES
                and not n.endswith(("-based", "-style", "-born", "-like"))]

    @cached_property
    def numbers(self) -> list[str]:
        """The numbers in digits."""
        return list(dict.fromkeys(NUMBER.findall(self.text)))

    @cached_property
    def speakers(self) -> list[str]:
        """The speakers, if the premise is a transcript."""
        found = dict.fromkeys(re.findall(r"^([A-Z][A-Za-z]+(?: [A-Z][A-Za-z]*){0,3}):", self.text, re.M))
        return list(found) if len(found) > 1 else []


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Returns a crude stem, which most forms of a word share."""
    w = word.lower()
    for suffix in ("ations", "ation", "ingly", "edly", "ing", "ies", "ied", "ed", "es", "ly", "s", "e", "y"):
        if w.endswith(suffix) and len(w) - len(suffix) >= 3:
            w = w[: -len(suffix)]
            break
    return w[:-1] if len(w) > 3 and w[-1] == w[-2] else w


def content(text: str) -> set[str]:
    """Returns the stems of the content words of a text."""
    return {stem(w) for w in re.findall(r"[A-Za-z]{2,}|\d[\d.,]*\d|\d", text) if w.lower() not in STOP}


def names(text: str) -> list[Span]:
    """Returns capitalised names.

    A single word at the start of a sentence that occurs only once may not be a name; its text is prefixed with "?".
    """
    out = []
    for m in NAME.finditer(text):
        start, name = m.start(), m.group()
        first = start == 0 or text[:start].rstrip()[-1:] in ".!?\n\"“:"
        head = name.split()[0]
        while head.lower().rstrip(".'’s") in NOT_NAMES or head.lower() in NOT_NAMES:
            if " " not in name:
                name = ""
                break
            start += len(head) + 1
            name = name[len(head) + 1:]
            head, first = name.split()[0], False
        if name[:1].islower() or not name or len(name) < 3:
            continue
        if name.endswith(("'s", "’s")):
            name = name[:-2]
        if first and " " not in name and text.count(name) < 2:
            out.append(Span(start, start + len(name), "?" + name))
        else:
            out.append(Span(start, start + len(name), name))
    return out


@lru_cache(maxsize=256)
def read_premise(text: str) -> Premise:
    """Returns the Premise of a text. Recent ones are cached, since a premise has many claims."""
    return Premise(text)


def may_apply_to(premise: Premise, claim: set[str], new: str, old: str) -> bool:
    """Reports whether the premise may state about new what the claim states about old.

    This is assumed if both are in one list or apposition, or a sentence with new contains half of the claim's words.
    """
    n, o = new.lower(), old.lower()
    if n not in premise.lower:
        return False
    rest = claim - content(new) - content(old)
    for k, low in enumerate(premise.lowered):
        i = low.find(n)
        if i < 0:
            continue
        j = low.find(o)
        if j < 0:
            if rest and len(rest & premise.stems(k)) >= 0.5 * len(rest):
                return True
            continue
        a, b = (i + len(n), j) if i < j else (j + len(o), i)
        between = low[a:b]
        if len(between.split()) <= 3 or re.search(r"\b(?:and|or|with|well as|like|as|aka|called|known)\b", between) \
                and len(between.split()) <= 6:
            return True
    return False


def match_case(old: str, new: str) -> str:
    """Returns new with the capitalization of old."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def article(word: str) -> str:
    """Returns the indefinite article of a word."""
    w = word.lower()
    if w.startswith(("uni", "use", "usu", "eu", "one", "once", "ufo", "uk", "us ")) and not w.startswith(("unin", "unim")):
        return "a"
    return "an" if w[:1] in "aeiou" or w.startswith(("hour", "honest", "honor", "honour", "heir")) or \
        re.match(r"(?:8|11|18)\b|8\d", w) else "a"


def replace(text: str, start: int, end: int, new: str) -> tuple[str, list[tuple[int, int]]]:
    """Replaces text[start:end], corrects a preceding "a" or "an", and returns the text and the span of new."""
    before = text[:start]
    m = re.search(r"\b(a|an|A|An) $", before)
    if m and new and article(new) != m[1].lower():
        before = before[: m.start()] + match_case(m[1] + "x", article(new)) + " "
    return before + new + text[end:], [(len(before), len(before) + len(new))]


def upper_first(text: str) -> str:
    """Returns text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
