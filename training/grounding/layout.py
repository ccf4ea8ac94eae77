"""The model's input: one window of context, and many claims that each see it.

    [CLS] window [SEP] claim 1 [SEP] claim 2 [SEP] ...

Every token sees the window, a claim's tokens see their own claim too, and no
claim sees another. Positions of each claim go on where the window ended, so a
claim's result does not depend on the claims beside it. The engine builds the
same input; golden vectors hold the two together.

Token types: 0 window, and for the tokens of a claim, by the word they are part
of: 1 the window has the word, 2 it has one that begins alike, 3 it has neither.
"""

from dataclasses import dataclass

PAD, CLS, SEP = 0, 101, 102
WINDOW, SAME, AKIN, ABSENT = 0, 1, 2, 3
TYPES = 4
MAX_WINDOW = 256  # tokens of a window, the two specials not counted
MAX_CLAIM = 96  # tokens of a claim, its [SEP] not counted
MAX_TOKENS = 480  # tokens of a sequence while training
MAX_POSITION = 512  # of the position embeddings
AKIN_PREFIX = 4  # characters that akin words share at least


class Vocabulary:
    """The pieces of a WordPiece vocabulary by their ids."""

    def __init__(self, tokenizer):
        pieces = tokenizer.get_vocab(with_added_tokens=True)
        self.piece = [""] * (max(pieces.values()) + 1)
        for p, i in pieces.items():
            self.piece[i] = p

    def words(self, ids):
        """(text, first token, token after the last) of each word."""
        out = []
        for i, t in enumerate(ids):
            p = self.piece[t]
            if p.startswith("##") and out:
                text, a, _ = out[-1]
                out[-1] = (text + p[2:], a, i + 1)
            else:
                out.append((p, i, i + 1))
        return out


def akin(a, b):
    """Whether two different words begin alike: "directs" and "directed"."""
    short = min(len(a), len(b))
    if short < AKIN_PREFIX:
        return False
    n = max(AKIN_PREFIX, short - 2)
    return a[:n] == b[:n]


class Marks:
    """Says of the tokens of claims how their words stand in a window."""

    def __init__(self, vocabulary, window):
        self.vocabulary = vocabulary
        self.have = {w for w, _, _ in vocabulary.words(window)}
        self.by_prefix = {}
        for w in self.have:
            if len(w) >= AKIN_PREFIX:
                self.by_prefix.setdefault(w[:AKIN_PREFIX], []).append(w)

    def of(self, claim):
        """The token types of a claim's tokens."""
        types = [ABSENT] * len(claim)
        for w, a, b in self.vocabulary.words(claim):
            if w in self.have:
                t = SAME
            elif any(akin(w, v) for v in self.by_prefix.get(w[:AKIN_PREFIX], ())):
                t = AKIN
            else:
                continue
            types[a:b] = [t] * (b - a)
        return types


@dataclass
class Sequence:
    """A window and its claims as parallel lists, a value a token."""

    ids: list
    positions: list
    types: list
    segments: list  # 1 the window, 2 and on the claims, in order
    claims: list  # (first token, token after its [SEP])


def sequence(vocabulary, window, claims):
    """Lays out a window and claims, each a list of token ids without specials."""
    marks = Marks(vocabulary, window)
    ids = [CLS, *window, SEP]
    n = len(ids)
    s = Sequence(ids, list(range(n)), [WINDOW] * n, [1] * n, [])
    for i, c in enumerate(claims):
        a = len(s.ids)
        s.ids += [*c, SEP]
        s.positions += range(n, n + len(c) + 1)
        s.types += [*marks.of(c), SAME]
        s.segments += [i + 2] * (len(c) + 1)
        s.claims.append((a, len(s.ids)))
    return s
