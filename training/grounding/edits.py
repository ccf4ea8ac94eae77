"""Edits of supported claims that either keep their meaning or remove the support of the premise."""

from __future__ import annotations

import random
import re

from . import change, keep, roles, scope, words
from .change import Case, Change
from .lexicon import Lexicon
from .premise import read_premise

__all__ = ["Change", "Edits", "Lexicon"]

# Edits that rarely apply have higher weights, so that all occur at similar rates.
KINDS: tuple[tuple[change.Edit, float], ...] = (
    (roles.swap_names, 12), (roles.swap_numbers, 10), (roles.swap_from_to, 20), (roles.change_voice, 14), (roles.swap_comparison, 20),
    (roles.change_speaker, 8), (change.name_from_premise, 4.5), (change.name_foreign, 2), (change.number, 9), (change.date, 12),
    (change.unit, 8), (words.antonym, 3.2), (words.verb, 2.6), (words.noun, 2.2), (words.comparison, 6), (scope.insert_negation, 1.6),
    (scope.remove_negation, 7), (scope.quantifier, 8), (scope.hedge, 8), (scope.order, 9), (scope.cause, 10),
    (change.premise_detail, 4), (change.foreign_detail, 0.8), (change.adjective, 1.2))


class Edits:
    """Edits claims with the words of a lexicon. Edits depend only on the arguments and the state of rng."""

    def __init__(self, lexicon: Lexicon):
        self.lexicon = lexicon

    def keep(self, claim: str, rng: random.Random) -> str | None:
        """Returns the claim reworded or shortened by one to three edits, or None if none applies.

        The premise still supports the result.
        """
        return keep.apply(claim, self.lexicon, rng)

    def change(self, claim: str, premise: str, rng: random.Random) -> Change | None:
        """Returns an edit of a supported claim that the premise does not support, or None if none applies."""
        case = Case(claim, read_premise(premise), self.lexicon, rng)
        # Weighted random order: sorting by u^(1/w) is equivalent to weighted draws without replacement.
        for edit, _ in sorted(KINDS, key=lambda k: -rng.random() ** (1 / k[1])):
            result = edit(case)
            if result and is_valid(result, case):
                return result
        return None


def is_valid(result: Change, case: Case) -> bool:
    """Reports whether an edit changes the words of the claim and does not result in text of the premise."""
    if re.sub(r"\W+", " ", result.text.lower()) == re.sub(r"\W+", " ", case.lower):
        return False
    if result.text.lower().rstrip(". ") in case.premise.lower:
        return False
    return all(0 <= a < b <= len(result.text) for a, b in result.spans)
