"""Tests of the edits of claims. Run python -m unittest in the directory training."""

import random
import re
import tempfile
import unittest
from pathlib import Path

from grounding import change, keep, roles, scope, words
from grounding.edits import KINDS, Edits, Lexicon
from grounding.premise import article, read_premise

FILES = {
    "first-names.tsv": "name\tgender\nMarie\tf\nAlice\tf\nPeter\tm\nJohn\tm\n",
    "surnames.tsv": "name\nCurie\nMiller\nBaker\nStone\n",
    "cities.tsv": "city\tregion\tcountry\nParis\tIDF\tFrance\nVienna\tVienna\tAustria\n",
    "countries.tsv": "country\tcapital\tadjective\tfirst_language\tregion\nFrance\tParis\tFrench\tFrench\teurope\nPeru\tLima\tPeruvian\tSpanish\tamerica\n",
    "organisations.tsv": "name\nNational Science Foundation\n",
    "irregular-forms.tsv": "lemma\tpos\tform\nstop\tv\tstopped\nstop\tv\tstopping\n",
    "hypernyms.tsv": "lemma\tpos\thypernyms\nmethod\tn\tknow-how\npaper\tn\tmaterial\n",
}
PREMISE = ("John Miller founded the company in Paris in 1998 before Alice Baker joined. It had 1,200 workers, some of whom were not paid. "
           "Sales may increase after the reform because prices are lower. Vienna was visited in 2004 by Peter Stone. "
           "The river is 35 miles long and 40 metres wide. Heavy rain caused the flood.")
CLAIMS = [
    "John Miller founded the company in Paris in 1998.", "The company had 1,200 workers.", "Some workers of the company were not paid.",
    "Sales may increase after the reform because prices are lower.", "The river is 35 miles long.", "Peter Stone visited Vienna in 2004.",
    "Alice Baker joined the company after John Miller founded it.", "Heavy rain caused the flood.", "The flood was caused by heavy rain.",
    "Prices are lower.", "The company was founded in Paris by John Miller on 3 May 1998.", "It was not the first company of John Miller.",
]


class EditsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        for name, text in FILES.items():
            Path(cls.dir.name, name).write_text(text, encoding="utf-8")
        cls.lexicon = Lexicon(cls.dir.name)
        cls.edits = Edits(cls.lexicon)

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    def case(self, claim, premise=PREMISE, seed=0):
        return change.Case(claim, read_premise(premise), self.lexicon, random.Random(seed))

    def test_spans_cover_all_changes(self):
        for claim in CLAIMS:
            for edit, _ in KINDS:
                for seed in range(12):
                    got = edit(self.case(claim, seed=seed))
                    if got is None:
                        continue
                    with self.subTest(claim=claim, text=got.text, kind=got.kind):
                        self.assertIn(got.label, ("contradicted", "not_mentioned", "not_supported"))
                        self.assertNotEqual(got.text, claim)
                        self.assertTrue(got.spans)
                        kept, i = "", 0
                        for start, end in got.spans:
                            self.assertTrue(i <= start < end <= len(got.text))
                            self.assertEqual(got.text[start:end], got.text[start:end].strip())
                            kept, i = kept + got.text[i:start] + "\0", end
                        kept = (kept + got.text[i:]).rstrip(".")
                        # The words outside the spans are words of the claim, in order.
                        rest = iter(re.findall(r"[\w']+", claim))
                        outside = [w for w in re.findall(r"[\w']+", kept) if w not in ("a", "an")]
                        self.assertTrue(all(w in rest for w in outside), (claim, got))

    def test_edits_are_reproducible(self):
        for claim in CLAIMS:
            for seed in range(5):
                self.assertEqual(self.edits.change(claim, PREMISE, random.Random(seed)), self.edits.change(claim, PREMISE, random.Random(seed)))
                self.assertEqual(self.edits.keep(claim, random.Random(seed)), self.edits.keep(claim, random.Random(seed)))

    def test_keep_adds_no_numbers(self):
        value = {w: str(i) for i, w in enumerate(keep.NUMBER_WORDS)}
        for claim in CLAIMS + ["It lost 35% of 12,000 voters on March 14, 1879 in fifteen towns.", "It has 7 rooms and 12500 visitors."]:
            have = {value.get(w, w) for w in re.findall(r"\d+(?:\.\d+)?|\w+", claim.lower().replace(",", ""))}
            for seed in range(40):
                got = self.edits.keep(claim, random.Random(seed)) or ""
                numbers = {value.get(w, w) for w in re.findall(r"\d+(?:\.\d+)?|\w+", got.lower().replace(",", ""))}
                self.assertLessEqual({n for n in numbers if n[0].isdigit()}, have, got)

    def test_change_examples(self):
        for edit, claim, want in [
            (scope.insert_negation, "The company was founded in Paris.", r"The company (was not|wasn't|was never) founded in Paris\."),
            (scope.remove_negation, "The workers were not paid.", r"The workers were paid\."),
            (scope.remove_negation, "It did not stop the flood.", r"It stopped the flood\."),
            (scope.hedge, "Sales may increase.", r"Sales will increase\."),
            (scope.quantifier, "Some workers were paid.", r"All workers were paid\."),
            (scope.order, "Alice Baker joined after the reform.", r"Alice Baker joined before the reform\."),
            (scope.cause, "The flood was caused by rain.", r"The flood caused rain\."),
            (words.comparison, "Prices are lower.", r"Prices are higher\."),
            (roles.change_voice, "Alice Baker was hired by John Miller.", r"Alice Baker hired John Miller\."),
            (roles.change_voice, "John Miller hired Alice Baker.", r"John Miller was hired by Alice Baker\."),
            (roles.swap_names, "John Miller hired and later taught Alice Baker.", r"Alice Baker hired and later taught John Miller\."),
            (change.unit, "The river is 35 miles long.", r"The river is 35 (metres|yards|meters|foot|kilometers|feet) long\."),
            (change.name_from_premise, "John Miller founded the company in Paris in 1998.", r"((Peter Stone|Alice Baker) founded|John Miller .* in Vienna).*"),
        ]:
            with self.subTest(claim=claim):
                got = edit(self.case(claim))
                self.assertIsNotNone(got)
                self.assertRegex(got.text, f"^{want}$")

    def test_replacement_that_is_also_true_is_rejected(self):
        premise = "John Miller and Alice Baker founded the company."
        self.assertIsNone(change.name_from_premise(self.case("John Miller founded the company.", premise)))
        self.assertIsNone(words.antonym(self.case("Young people were paid.", "Young and old people were paid.")))

    def test_lower_bounds_only_increase(self):
        for seed in range(30):
            got = change.number(self.case("It had more than 1,200 workers.", seed=seed))
            self.assertGreater(int(re.search(r"\d[\d,]*", got.text)[0].replace(",", "")), 1200)

    def test_keep_examples(self):
        for edit, claim, want in [
            (keep.date_format, "It began on 14 March 1879.", "It began on March 14, 1879."),
            (keep.number_format, "It has 1,200 rooms.", "It has 1200 rooms."),
            (keep.contraction, "It is not old.", "It isn't old."),
            (keep.move, "In 2002, the club held a ball.", "The club held a ball in 2002."),
            (keep.drop_parenthesis, "The club (a large one) held a ball.", "The club held a ball."),
            (keep.voice, "The novel was written by Marie Curie.", "Marie Curie wrote the novel."),
            (keep.drop_first_name, "It was found by Marie Curie in 1898.", "It was found by Curie in 1898."),
        ]:
            with self.subTest(claim=claim):
                self.assertEqual(edit(claim, self.lexicon, random.Random(1)), want)

    def test_nothing_is_dropped_after_negation(self):
        for claim in ("The club, which was old, did not hold a ball.", "Only the club met, and it was quietly closed."):
            for edit in (keep.drop_apposition, keep.drop_clause, keep.drop_adverb, keep.drop_conjunct):
                self.assertIsNone(edit(claim, self.lexicon, random.Random(1)))

    def test_inflection(self):
        for lemma, tag, want in [("stop", "ing", "stopping"), ("deny", "past", "denied"), ("write", "part", "written"), ("fall below", "s", "falls below"),
                                 ("criticise", "ing", "criticising"), ("miss", "s", "misses")]:
            self.assertEqual(self.lexicon.verb(lemma, tag), want)
        self.assertEqual([article(w) for w in ("hour", "unit", "apple", "unimportant", "11")], ["an", "a", "an", "an", "an"])


if __name__ == "__main__":
    unittest.main()
