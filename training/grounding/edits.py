"""Edited claims: made from supported claims, some keep the meaning and some lose the support of the premise."""

from __future__ import annotations

import random
import re

from . import change, keep, roles, scope, words
from .change import Case, Change
from .lexicon import Lexicon
from .premise import read_premise

__all__ = ["Change", "Edits", "Lexicon"]

# The weights even out how often the kinds come: a kind that seldom applies has a high one.
KINDS: tuple[tuple[change.Edit, float], ...] = (
    (roles.names_exchanged, 12), (roles.numbers_exchanged, 10), (roles.from_to, 20), (roles.voice, 14), (roles.than, 20),
    (roles.attribution, 8), (change.name_from_premise, 4.5), (change.name_foreign, 2), (change.number, 9), (change.date, 12),
    (change.unit, 8), (words.antonym, 3.2), (words.verb, 2.6), (words.noun, 2.2), (words.comparison, 6), (scope.negation_inserted, 1.6),
    (scope.negation_removed, 7), (scope.quantifier, 8), (scope.hedge, 8), (scope.order, 9), (scope.cause, 10),
    (change.premise_detail, 4), (change.foreign_detail, 0.8), (change.adjective, 1.2))


class Edits:
    """Makes edited claims with the words of a lexicon. The same rng state gives the same edit."""

    def __init__(self, lexicon: Lexicon):
        self.lexicon = lexicon

    def keep(self, claim: str, rng: random.Random) -> str | None:
        """The claim edited one to three times so that it keeps its meaning or loses only what was said beside it.

        None when no edit applies.
        """
        return keep.apply(claim, self.lexicon, rng)

    def change(self, claim: str, premise: str, rng: random.Random) -> Change | None:
        """An edit of a supported claim after which the premise no longer supports it; None when none applies."""
        case = Case(claim, read_premise(premise), self.lexicon, rng)
        # Weighted order without replacement: the key u^(1/w) sorts as repeated weighted draws would.
        for edit, _ in sorted(KINDS, key=lambda k: -rng.random() ** (1 / k[1])):
            got = edit(case)
            if got and sound(got, case):
                return got
        return None


def sound(got: Change, case: Case) -> bool:
    """Whether a change is a real one: other words than the claim's, and not a text of the premise."""
    if re.sub(r"\W+", " ", got.text.lower()) == re.sub(r"\W+", " ", case.lower):
        return False
    if got.text.lower().rstrip(". ") in case.premise.lower:
        return False
    return all(0 <= a < b <= len(got.text) for a, b in got.spans)
