"""Tests of the layout, the network over it, and the file that they are exported to.

Run in the folder training: python -m unittest.
"""

import hashlib
import json
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from tokenizers import Tokenizer

import export
import golden
from grounding import layout
from grounding.model import batch

GOLDEN = Path(__file__).parents[2] / "internal/encoder/testdata/grounding"


def tokenizer():
    with safe_open(GOLDEN / "int8.safetensors", "np") as f:
        text = f.get_tensor("tokenizer").tobytes()
    t = Tokenizer.from_str(text.decode())
    t.no_padding()
    t.no_truncation()
    t.encode_special_tokens = True
    return text, t


TEXT, TOKENIZER = tokenizer()
VOCABULARY = layout.Vocabulary(TOKENIZER)


def ids(text):
    return TOKENIZER.encode(text, add_special_tokens=False).ids


class Layout(unittest.TestCase):
    def test_golden_inputs_are_what_the_layout_makes(self):
        for case in json.loads((GOLDEN / "cases.json").read_text())["cases"]:
            claims = [ids(c)[: layout.MAX_CLAIM] for c in case["claims"]]
            s = layout.sequence(VOCABULARY, ids(case["window"])[: layout.MAX_WINDOW], claims)
            for name in ("ids", "positions", "types"):
                self.assertEqual(case[name], getattr(s, name), f"{case['name']}: {name}")

    def test_texts_that_spell_specials_are_text(self):
        pieces = TOKENIZER.encode("[SEP] four [CLS]", add_special_tokens=False).tokens
        self.assertFalse({"[SEP]", "[CLS]"} & set(pieces), pieces)

    def test_words_stand_by_how_they_begin(self):
        akin = [("directs", "directed"), ("interest", "interests"), ("work", "worker"), ("étés", "étésx"), ("nation", "national")]
        other = [("run", "runs"), ("work", "word"), ("direct", "dirty"), ("understand", "underline"), ("", "")]
        for pairs, want in ((akin, True), (other, False)):
            for a, b in pairs:
                self.assertEqual(layout.akin(a, b), want, (a, b))
                self.assertEqual(layout.akin(b, a), want, (b, a))

    def test_positions_of_each_claim_go_on_behind_the_window(self):
        s = layout.sequence(VOCABULARY, ids("cats work"), [ids("cats"), [], ids("dogs work")])
        n = s.claims[0][0]
        for a, b in s.claims:
            self.assertEqual(s.positions[a:b], list(range(n, n + b - a)))
            self.assertEqual(s.ids[b - 1], layout.SEP)


class Network(unittest.TestCase):
    def test_a_claim_does_not_depend_on_the_others(self):
        net = golden.network(len(VOCABULARY.piece))
        window, claims = ids("the agency works in march"), [ids(c) for c in ("it works", "", "the agency directs it in march")]
        together = layout.sequence(VOCABULARY, window, claims)
        with torch.no_grad():
            logits, tokens, _ = net(*batch([together]))
            for i, c in enumerate(claims):
                alone, marks, _ = net(*batch([layout.sequence(VOCABULARY, window, [c])]))
                torch.testing.assert_close(alone[0], logits[i], rtol=0, atol=1e-5)
                torch.testing.assert_close(marks[0, : len(c) + 1], tokens[i, : len(c) + 1], rtol=0, atol=1e-5)


class Export(unittest.TestCase):
    def setUp(self):
        self.net = golden.network(len(VOCABULARY.piece))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "model.safetensors"

    def export(self, *args):
        export.export(self.path, self.net, TEXT, VOCABULARY, *args)
        return self.path.read_bytes()

    def test_rounding_is_off_by_half_a_step_at_most(self):
        rng = np.random.default_rng(1)
        w = rng.standard_normal((50, 30)).astype(np.float32)
        w[7] = 0
        w[8] *= 1e-30
        w[9] *= 1e-44
        q, scale = export.rounded(w)
        self.assertLessEqual(np.abs(q.astype(int)).max(), 127)
        self.assertFalse(q[7].any())
        self.assertTrue((np.abs(q * scale[:, None] - w) <= 0.501 * scale[:, None])[:9].all())

    def test_the_file_has_the_weights_and_a_checksum_that_fits(self):
        for precision, most in (("float32", 0), ("int8", 0.05)):
            data = self.export(precision, '{"a": [0.1]}')
            self.assertEqual(data, self.export(precision, '{"a": [0.1]}'), "the same input makes other bytes")
            n = struct.unpack("<Q", data[:8])[0]
            meta = json.loads(data[8 : 8 + n])["__metadata__"]
            self.assertEqual((meta["format"], meta["version"], meta["verdict"]), ("ragfaith-grounding", "1", '{"a":[0.1]}'))
            content = b"".join(meta[k].encode() + b"\0" for k in ("config", "layout", "verdict")) + data[8 + n :]
            self.assertEqual(meta["sha256"], hashlib.sha256(content).hexdigest())
            other = golden.widened(self.net, self.path)
            for name, w in self.net.state_dict().items():
                self.assertLessEqual(float((other.state_dict()[name] - w).abs().max()), most * float(w.abs().max()), name)

    def test_what_is_no_number_is_refused(self):
        with torch.no_grad():
            self.net.token.bias.fill_(float("nan"))
        for precision in ("float32", "int8"):
            with self.assertRaisesRegex(ValueError, "token.bias"):
                self.export(precision)
            self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
