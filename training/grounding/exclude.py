"""Excludes evaluation rows from the training data."""

import re

LONG = 12  # A text that shares a sequence of so many words with an evaluation row is excluded.
SHORT = 8  # So is a text that shares more than a tenth of its sequences of so many words.


def _words(text):
    return re.findall(r"\w+", text.lower())


def _ngrams(words, n):
    return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]


class Evaluation:
    """Index of the texts of evaluation rows."""

    def __init__(self, rows):
        self.whole, self.long, self.short = set(), set(), set()
        self._similar = {}
        for r in rows:
            for t in (*r["contexts"], r["answer"], r.get("question") or ""):
                w = _words(t)
                if len(w) > 3:
                    self.whole.add(" ".join(w))
                self.long.update(_ngrams(w, LONG))
                self.short.update(_ngrams(w, SHORT))

    def overlaps(self, text):
        """Reports whether a text equals an evaluation text or shares a sequence of LONG words with one."""
        w = _words(text)
        return " ".join(w) in self.whole or any(g in self.long for g in _ngrams(w, LONG))

    def is_similar(self, text):
        """Reports whether a text overlaps, or more than a tenth of the sequences of SHORT words are shared."""
        if (similar := self._similar.get(text)) is None:
            ngrams = _ngrams(_words(text), SHORT)
            similar = self.overlaps(text) or bool(ngrams) and sum(g in self.short for g in ngrams) > 0.1 * len(ngrams)
            self._similar[text] = similar
        return similar
