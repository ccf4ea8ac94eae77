"""Tests of the input layout, the network and the export.

Run python -m unittest in the directory training.
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


def read_tokenizer():
    """Returns the JSON text and the tokenizer of the golden model."""
    with safe_open(GOLDEN / "int8.safetensors", "np") as f:
        text = f.get_tensor("tokenizer").tobytes()
    t = Tokenizer.from_str(text.decode())
    t.no_padding()
    t.no_truncation()
    t.encode_special_tokens = True
    return text, t


TEXT, TOKENIZER = read_tokenizer()
VOCABULARY = layout.Vocabulary(TOKENIZER)


def ids(text):
    return TOKENIZER.encode(text, add_special_tokens=False).ids


class LayoutTest(unittest.TestCase):
    def test_layout_matches_golden_cases(self):
        for case in json.loads((GOLDEN / "cases.json").read_text())["cases"]:
            claims = [ids(c)[: layout.MAX_CLAIM] for c in case["claims"]]
            s = layout.sequence(VOCABULARY, ids(case["window"])[: layout.MAX_WINDOW], claims)
            for name in ("ids", "positions", "types"):
                self.assertEqual(case[name], getattr(s, name), f"{case['name']}: {name}")

    def test_special_tokens_in_text_are_plain_text(self):
        pieces = TOKENIZER.encode("[SEP] four [CLS]", add_special_tokens=False).tokens
        self.assertFalse({"[SEP]", "[CLS]"} & set(pieces), pieces)

    def test_same_prefix(self):
        same = [("directs", "directed"), ("interest", "interests"), ("work", "worker"), ("étés", "étésx"), ("nation", "national")]
        other = [("run", "runs"), ("work", "word"), ("direct", "dirty"), ("understand", "underline"), ("", "")]
        for pairs, want in ((same, True), (other, False)):
            for a, b in pairs:
                self.assertEqual(layout.same_prefix(a, b), want, (a, b))
                self.assertEqual(layout.same_prefix(b, a), want, (b, a))

    def test_claim_positions_continue_the_window(self):
        s = layout.sequence(VOCABULARY, ids("cats work"), [ids("cats"), [], ids("dogs work")])
        n = s.claims[0][0]
        for a, b in s.claims:
            self.assertEqual(s.positions[a:b], list(range(n, n + b - a)))
            self.assertEqual(s.ids[b - 1], layout.SEP)


class NetworkTest(unittest.TestCase):
    def test_claims_are_independent(self):
        net = golden.network(len(VOCABULARY.piece))
        window, claims = ids("the agency works in march"), [ids(c) for c in ("it works", "", "the agency directs it in march")]
        together = layout.sequence(VOCABULARY, window, claims)
        with torch.no_grad():
            logits, tokens, _ = net(*batch([together]))
            for i, c in enumerate(claims):
                alone, marks, _ = net(*batch([layout.sequence(VOCABULARY, window, [c])]))
                torch.testing.assert_close(alone[0], logits[i], rtol=0, atol=1e-5)
                torch.testing.assert_close(marks[0, : len(c) + 1], tokens[i, : len(c) + 1], rtol=0, atol=1e-5)


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.net = golden.network(len(VOCABULARY.piece))
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.path = Path(tmp.name) / "model.safetensors"

    def export(self, *args):
        export.export(self.path, self.net, TEXT, VOCABULARY, *args)
        return self.path.read_bytes()

    def test_quantization_error_is_at_most_half_a_step(self):
        rng = np.random.default_rng(1)
        w = rng.standard_normal((50, 30)).astype(np.float32)
        w[7] = 0
        w[8] *= 1e-30
        w[9] *= 1e-44
        q, scale = export.quantize(w)
        self.assertLessEqual(np.abs(q.astype(int)).max(), 127)
        self.assertFalse(q[7].any())
        self.assertTrue((np.abs(q * scale[:, None] - w) <= 0.501 * scale[:, None])[:9].all())

    def test_file_has_weights_and_checksum(self):
        for precision, tolerance in (("float32", 0), ("int8", 0.05)):
            data = self.export(precision, '{"a": [0.1]}')
            self.assertEqual(data, self.export(precision, '{"a": [0.1]}'), "output is not reproducible")
            n = struct.unpack("<Q", data[:8])[0]
            meta = json.loads(data[8 : 8 + n])["__metadata__"]
            self.assertEqual((meta["format"], meta["version"], meta["verdict"]), ("ragfaith-grounding", "1", '{"a":[0.1]}'))
            content = b"".join(meta[k].encode() + b"\0" for k in ("config", "layout", "verdict")) + data[8 + n :]
            self.assertEqual(meta["sha256"], hashlib.sha256(content).hexdigest())
            quantized = golden.dequantized(self.net, self.path)
            for name, w in self.net.state_dict().items():
                self.assertLessEqual(float((quantized.state_dict()[name] - w).abs().max()), tolerance * float(w.abs().max()), name)

    def test_export_rejects_nan(self):
        with torch.no_grad():
            self.net.token.bias.fill_(float("nan"))
        for precision in ("float32", "int8"):
            with self.assertRaisesRegex(ValueError, "token.bias"):
                self.export(precision)
            self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
