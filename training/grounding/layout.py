"""Input layout of the model: a window of context followed by claims.

    [CLS] window [SEP] claim 1 [SEP] claim 2 [SEP] ...

All tokens attend to the window. The tokens of a claim also attend to their own
claim, but not to other claims. The positions of each claim continue those of the
window, so the result of a claim does not depend on the others. internal/encoder
builds the same input; golden tests compare the two.

The token type is 0 in the window. In claims it depends on the word that a token is
part of: 1 if the window contains the word, 2 if it contains a word with the same
prefix, 3 otherwise.
"""

from dataclasses import dataclass

PAD, CLS, SEP = 0, 101, 102
WINDOW, SAME, PREFIX, ABSENT = 0, 1, 2, 3
TYPES = 4
MAX_WINDOW = 256  # tokens of a window, without [CLS] and [SEP]
MAX_CLAIM = 96  # tokens of a claim, without [SEP]
MAX_TOKENS = 480  # tokens of a training sequence
MIN_PREFIX = 4  # characters


class Vocabulary:
    """WordPiece tokens by id."""

    def __init__(self, tokenizer):
        pieces = tokenizer.get_vocab(with_added_tokens=True)
        self.piece = [""] * (max(pieces.values()) + 1)
        for p, i in pieces.items():
            self.piece[i] = p

    def words(self, ids):
        """Returns the words of a token sequence as (text, first token, last token + 1)."""
        out = []
        for i, t in enumerate(ids):
            p = self.piece[t]
            if p.startswith("##") and out:
                text, a, _ = out[-1]
                out[-1] = (text + p[2:], a, i + 1)
            else:
                out.append((p, i, i + 1))
        return out


def same_prefix(a, b):
    """Reports whether two words are equal except for their endings, as "directs" and "directed"."""
    shorter = min(len(a), len(b))
    if shorter < MIN_PREFIX:
        return False
    n = max(MIN_PREFIX, shorter - 2)
    return a[:n] == b[:n]


class TokenTypes:
    """Computes the token types of claims over a window."""

    def __init__(self, vocabulary, window):
        self.vocabulary = vocabulary
        self.words = {w for w, _, _ in vocabulary.words(window)}
        self.by_prefix = {}
        for w in self.words:
            if len(w) >= MIN_PREFIX:
                self.by_prefix.setdefault(w[:MIN_PREFIX], []).append(w)

    def types(self, claim):
        """Returns the token types of a claim."""
        types = [ABSENT] * len(claim)
        for w, a, b in self.vocabulary.words(claim):
            if w in self.words:
                t = SAME
            elif any(same_prefix(w, v) for v in self.by_prefix.get(w[:MIN_PREFIX], ())):
                t = PREFIX
            else:
                continue
            types[a:b] = [t] * (b - a)
        return types


@dataclass
class Sequence:
    """A window and its claims, as lists with one value per token."""

    ids: list
    positions: list
    types: list
    segments: list  # 1 for the window, 2 and up for the claims
    claims: list  # (first token, end) of each claim, including its [SEP]


def sequence(vocabulary, window, claims):
    """Returns the layout of a window and claims, given as lists of token ids."""
    token_types = TokenTypes(vocabulary, window)
    ids = [CLS, *window, SEP]
    n = len(ids)
    s = Sequence(ids, list(range(n)), [WINDOW] * n, [1] * n, [])
    for i, c in enumerate(claims):
        a = len(s.ids)
        s.ids += [*c, SEP]
        s.positions += range(n, n + len(c) + 1)
        s.types += [*token_types.types(c), SAME]
        s.segments += [i + 2] * (len(c) + 1)
        s.claims.append((a, len(s.ids)))
    return s
