"""Keeps the evaluation rows out of the training data."""

import re

RUN = 12  # words: a training text that shares such a run with an evaluation row goes
SHORT = 8  # words: and one of which over a tenth of such runs are shared


def _words(text):
    return re.findall(r"\w+", text.lower())


def _runs(words, n):
    return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]


class Evaluation:
    """The texts of evaluation rows, to compare with."""

    def __init__(self, rows):
        self.whole, self.runs, self.short = set(), set(), set()
        self._seen = {}
        for r in rows:
            for t in (*r["contexts"], r["answer"], r.get("question") or ""):
                w = _words(t)
                if len(w) > 3:
                    self.whole.add(" ".join(w))
                self.runs.update(_runs(w, RUN))
                self.short.update(_runs(w, SHORT))

    def shares(self, text):
        """Whether a text is one of theirs, or has a run of RUN words of one."""
        w = _words(text)
        return " ".join(w) in self.whole or any(r in self.runs for r in _runs(w, RUN))

    def near(self, text):
        """shares, or more than a tenth of its runs of SHORT words are theirs."""
        if (known := self._seen.get(text)) is None:
            runs = _runs(_words(text), SHORT)
            known = self.shares(text) or bool(runs) and sum(r in self.short for r in runs) > 0.1 * len(runs)
            self._seen[text] = known
        return known
