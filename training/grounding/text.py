"""Sentences, content words and word weights.

This is used only to prepare training data. ragfaith itself has its own, more precise
segmenter and lexical judge.
"""

import collections
import json
import math
import re

import zstandard

WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*%?|[^\W\d_]+")
STOP = frozenset(
    """a an the of in on at to for from by with and or but nor so as is are was were be been being am it its
    this that these those there here he she they them his her their him we us our you your i my me who whom
    whose which what when where why how do does did doing done have has had having will would can could may
    might shall should must not no than then if also into over under about after before between during
    through up down out off again more most some such only own same too very just because while until both
    each few other any all s t don now per via upon among within without against""".split()
)
ABBREVIATED = frozenset(
    """mr mrs ms dr prof st vs etc jr sr inc ltd co corp no vol fig e.g i.e al gen sen rep gov u.s u.k a.m p.m
    jan feb mar apr jun jul aug sep sept oct nov dec approx""".split()
)
END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])")
END_LOWER = re.compile(r"[.!?][\"'”’)\]]*\s+(?=\S)")


def sentences(text):
    """Splits a text at newlines and sentence ends. Lines without capitals are split at every full stop."""
    out = []
    for line in text.split("\n"):
        line = " ".join(line.split())
        start = 0
        end = END if re.search(r"[A-Z][a-z]", line) else END_LOWER
        for m in end.finditer(line):
            left = line[start : m.start()].rsplit(" ", 1)[-1].lower().strip("(\"'“")
            if line[m.start()] == "." and (left in ABBREVIATED or len(left) == 1 and left.isalpha()):
                continue
            if m.end() - start >= 8:
                out.append(line[start : m.end()].strip())
                start = m.end()
        if line[start:].strip():
            out.append(line[start:].strip())
    return out


def stem(word):
    """Returns a word without common English endings."""
    w = word.lower().replace("’", "'").removesuffix("'s")
    if len(w) > 4:
        for ending in ("ing", "ies", "es", "ed", "s", "ly"):
            if w.endswith(ending) and len(w) - len(ending) >= 3:
                w = w[: -len(ending)] + ("y" if ending == "ies" else "")
                break
        if w.endswith("e") and len(w) > 4:
            w = w[:-1]
    return w


def content(text):
    """Returns the stems of the content words of a text, in order."""
    return [stem(w) for w in WORD.findall(text) if w.lower() not in STOP]


def length(text):
    """Estimates the number of WordPiece tokens of a text."""
    return max(1, int(len(WORD.findall(text)) * 1.35 + text.count(",") + text.count(".")))


class IDF:
    """Inverse document frequency of stems."""

    def __init__(self, frequency, documents):
        self.frequency, self.documents = frequency, documents

    def __call__(self, word):
        return math.log((self.documents + 1) / (self.frequency.get(word, 0) + 0.5))

    @classmethod
    def count(cls, texts):
        """Counts the stems of texts."""
        frequency = collections.Counter()
        n = 0
        for t in texts:
            frequency.update(set(content(t)))
            n += 1
        return cls(dict(frequency), n)

    def coverage(self, words, have):
        """Returns the weighted share of words that are in have, or 1 if there are no words."""
        total = sum(self(w) for w in words)
        return sum(self(w) for w in words if w in have) / total if total else 1.0


def windows(text, budget):
    """Splits a text into windows of whole sentences with about budget tokens. Longer sentences are cut."""
    parts = []
    for s in sentences(text):
        if length(s) <= budget:
            parts.append(s)
            continue
        words = s.split()
        step = max(40, int(budget / 1.5))
        parts += [" ".join(words[i : i + step]) for i in range(0, len(words), step)]
    out, i = [], 0
    while i < len(parts):
        j, n = i, 0
        while j < len(parts) and (j == i or n + length(parts[j]) <= budget):
            n += length(parts[j])
            j += 1
        out.append(" ".join(parts[i:j]))
        i = j
    return out


def pack(text, claim, idf, budget):
    """Returns the sentences that best cover the words of a claim, with their neighbours, in order."""
    parts = sentences(text)
    if sum(map(length, parts)) <= budget:
        return " ".join(parts)
    words = set(content(claim))
    stems = [set(content(s)) for s in parts]
    left = dict.fromkeys(words, 1.0)
    chosen, n = set(), 0
    while len(chosen) < len(parts) and n < 0.9 * budget:
        gain = [
            -1 if i in chosen else sum(idf(w) * left[w] for w in words & s) / (1 + 0.01 * length(parts[i]))
            for i, s in enumerate(stems)
        ]
        best = max(range(len(parts)), key=gain.__getitem__)
        for k in (best, best - 1, best + 1):
            if 0 <= k < len(parts) and k not in chosen and (not chosen or n + length(parts[k]) <= budget):
                chosen.add(k)
                n += length(parts[k])
        if best not in chosen:
            break
        for w in stems[best] & words:
            left[w] *= 0.4
    return " ".join(parts[i] for i in sorted(chosen))


def read(path):
    """Yields the objects of a JSONL file, which may be compressed with zstd."""
    if str(path).endswith(".zst"):
        with zstandard.open(path, "rt", encoding="utf8") as f:
            yield from map(json.loads, f)
        return
    with open(path, encoding="utf8") as f:
        yield from map(json.loads, f)
