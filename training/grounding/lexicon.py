"""Word lists and inflection of English words."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

from . import tables

VOWELS = "aeiou"


class Lexicon:
    """The word lists in a directory of TSV files. Missing files count as empty."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.rank = {r[0]: int(r[1]) for r in self._rows("lemmas.tsv")}
        self.pos: dict[str, set[str]] = defaultdict(set)
        for name in ("hypernyms.tsv", "synonyms.tsv", "antonyms.tsv", "synonyms-loose.tsv"):
            for row in self._rows(name):
                self.pos[row[0]].add(row[1])
        self.synonyms = {(r[0], r[1]): r[2].split(",") for r in self._rows("synonyms.tsv")}
        self.loose = {(r[0], r[1]): r[2].split(",") for r in self._rows("synonyms-loose.tsv")}
        self.irregular: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in self._rows("irregular-forms.tsv"):
            self.irregular[row[0], row[1]].append(row[2])
        self.first_names = {r[0]: r[1] for r in self._rows("first-names.tsv")}
        self.surnames = [r[0] for r in self._rows("surnames.tsv")]
        self.cities = [r[0] for r in self._rows("cities.tsv") if r[0].isascii()]
        countries = self._rows("countries.tsv")
        self.countries = [r[0] for r in countries if r[0].isascii() and "," not in r[0]]
        self.nationalities = sorted({r[2] for r in countries if r[2].isalpha()})
        self.organisations = [r[0] for r in self._rows("organisations.tsv") if r[0][0].isupper()]
        self.units = [(r[0], r[1].split(" (")[0], r[2], r[3].split(" (")[0]) for r in self._rows("units.tsv")]
        self._index()

    def _rows(self, name: str) -> list[list[str]]:
        path = self.path / name
        if not path.exists():
            return []
        with open(path, encoding="utf-8", newline="") as f:
            rows = list(csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
        width = len(rows[0])
        return [r + [""] * (width - len(r)) for r in rows[1:] if r and r[0]]

    def _index(self) -> None:
        """Builds the sets for name_kind and the inflected forms of common verbs."""
        self.surname_set, self.city_set = set(self.surnames), set(self.cities)
        self.country_set, self.nationality_set = set(self.countries), set(self.nationalities)
        self.organisation_set = set(self.organisations)
        self.first_by_gender = {g: [n for n, x in self.first_names.items() if x == g] for g in "fm"}
        self.known_cities = [c for c in self.cities if c in tables.BIG_CITIES] or list(tables.BIG_CITIES)
        self.forms: dict[str, list[tuple[str, str]]] = defaultdict(list)
        common = {w for w, r in self.rank.items() if r <= 8000 and "v" in self.pos.get(w, ())}
        for lemma in sorted((common | tables.VERBS | set(tables.IRREGULAR)) - tables.NOT_VERBS):
            for tag in ("base", "s", "past", "part", "ing"):
                self.forms[self.verb(lemma, tag)].append((lemma, tag))

    def verb(self, lemma: str, tag: str) -> str:
        """Returns a form of a verb: base, s, past, part or ing. The first word of a phrase is inflected."""
        head, _, rest = lemma.partition(" ")
        if rest:
            return self.verb(head, tag) + " " + rest
        if tag == "base":
            return lemma
        if tag == "s":
            return tables.THIRD.get(lemma) or plural_suffix(lemma)
        if lemma in tables.IRREGULAR and tag in ("past", "part"):
            return tables.IRREGULAR[lemma][tag == "part"]
        suffix = "ing" if tag == "ing" else "ed"
        for form in self.irregular.get((lemma, "v"), ()):
            if form.endswith(suffix) and len(form) > len(lemma) + 1 and form[0] == lemma[0]:
                return form
        if suffix == "ing":
            if lemma.endswith("ie"):
                return lemma[:-2] + "ying"
            if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
                return lemma[:-1] + "ing"
        else:
            if lemma.endswith("e"):
                return lemma + "d"
            if lemma.endswith("y") and lemma[-2:-1] not in VOWELS:
                return lemma[:-1] + "ied"
        return (lemma + lemma[-1] if doubles_consonant(lemma) else lemma) + suffix

    def plural(self, noun: str) -> str:
        """Returns the plural of a noun. The last word of a phrase is inflected."""
        head, space, last = noun.rpartition(" ")
        if last in tables.PLURALS:
            return head + space + tables.PLURALS[last]
        for form in self.irregular.get((last, "n"), ()):
            return head + space + form
        return head + space + plural_suffix(last)

    def name_kind(self, name: str) -> str:
        """Returns the kind of a name: person, place, nationality, organisation or other."""
        words = name.split()
        if name in self.country_set or name in self.city_set or name in tables.PLACES:
            return "place"
        if name in self.nationality_set:
            return "nationality"
        if name in self.organisation_set or words[-1] in tables.ORG_WORDS or words[0] in ("University", "Institute"):
            return "organisation"
        if words[-1] in tables.PLACE_WORDS:
            return "place"
        if words[0] in self.first_names and (len(words) == 1 or words[-1][-1:] != "s" or words[-1] in self.surname_set):
            return "person"
        if words[0].rstrip(".") in tables.TITLES or (words[-1] in self.surname_set and len(words) <= 2):
            return "person"
        return "other"


def plural_suffix(word: str) -> str:
    """Returns the word with the regular ending -s, -es or -ies."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith("o") and word[-2:-1] not in VOWELS else "s")


def doubles_consonant(lemma: str) -> bool:
    """Reports whether a verb doubles its last consonant before -ed and -ing."""
    return (len(lemma) >= 3 and lemma[-1] not in VOWELS + "wxyh" and lemma[-2] in VOWELS
            and lemma[-3] not in VOWELS and sum(c in VOWELS for c in lemma) == 1)
