"""python -m unittest test_judge.py (in this directory): a tiny random encoder on a few made-up groups."""
import os
import tempfile
import unittest
from unittest import mock

import numpy as np
import torch
from safetensors.numpy import load_file

import evaluate
import export
import train
from model import PASSAGE, STEP, UNKNOWN, Batch, Judge, Layer, bert_name, bucket, load_average, loss
from prepare import wrong_tokens

VOCABULARY = 200


def tiny_base():
    torch.manual_seed(1)
    base = {"words.weight": torch.randn(VOCABULARY, 32) / 5, "positions.weight": torch.randn(512, 32) / 5,
            "norm.weight": torch.ones(32), "norm.bias": torch.zeros(32), "relative.weight": torch.randn(32, 1)}
    for layer in range(2):
        base |= {f"layers.{layer}.{name}": value for name, value in Layer(32, 1).state_dict().items()}
    return {bert_name(name): value for name, value in base.items()}


def write_run(directory):
    """A run directory with 60 groups of random tokens."""
    random = np.random.default_rng(1)
    os.mkdir(directory + "/encoder")
    torch.save(tiny_base(), directory + "/encoder/base.pt")
    labels = np.concatenate([[PASSAGE, *random.integers(0, 4, 3)] for _ in range(60)])
    lengths = random.integers(5, 60, len(labels))
    np.savez(directory + "/train.npz", sources=["a"], tokens=random.integers(1, VOCABULARY, lengths.sum()).astype(np.uint16),
             wrong=random.integers(-1, 2, lengths.sum()), lengths=lengths, labels=labels, source=np.zeros(60, int), held_out=np.arange(60) % 10 == 9, claims=np.arange(60) % 2 == 0)


class TestJudge(unittest.TestCase):
    def trained(self, directory, *stops):
        """The trainer after training up to each number of tokens in a new process' state."""
        with mock.patch.object(train, "tokenizer"):
            for stop in stops:
                with mock.patch("sys.argv", ["train.py", "data", directory, "--tokens", "1024", "--eval-every", "0", "--stop-tokens", str(stop)]):
                    trainer = train.Trainer(train.arguments())
                trainer.run()
        return trainer

    def test_continued_run_ends_with_the_same_weights(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            write_run(one)
            write_run(two)
            whole, parts = self.trained(one, 20000), self.trained(two, 3000, 9000, 20000)
            self.assertGreater(whole.at["epoch"], 0)
            self.assertEqual({**whole.at, "seconds": 0}, {**parts.at, "seconds": 0})
            for a, b in ((whole.net, parts.net), (whole.average, parts.average)):
                for name, value in a.trained().items():
                    self.assertTrue(torch.equal(value, b.trained()[name]), name)

    def test_each_source_is_evaluated_on_its_held_out_groups(self):
        with tempfile.TemporaryDirectory() as directory:
            write_run(directory)
            groups = train.Groups(directory + "/train.npz")
        found = evaluate.sources(Judge(tiny_base()).eval(), groups, "cpu")
        self.assertEqual(list(found), ["a"])
        self.assertTrue(0 <= found["a"] <= 1)

    def test_a_checkpoint_belongs_to_its_frozen_weights(self):
        with tempfile.TemporaryDirectory() as directory:
            write_run(directory)
            self.trained(directory, 1000)
            base = tiny_base()
            load_average(Judge(base), directory)
            base[bert_name("words.weight")][5, 5] += 1
            with self.assertRaises(AssertionError):
                load_average(Judge(base), directory)
            torch.save(base, directory + "/encoder/base.pt")
            with self.assertRaises(AssertionError):
                self.trained(directory, 2000)

    def test_a_claim_is_scored_alike_in_any_company(self):
        net, random = Judge(tiny_base()), np.random.default_rng(2)
        passage, *claims = [random.integers(1, VOCABULARY, n) for n in (40, 12, 7, 20)]
        together, _ = net(Batch([([passage, *claims],), ([claims[0], passage],)]))
        alone, _ = net(Batch([([passage, claims[1]],)]))
        torch.testing.assert_close(together[1], alone[0], atol=0.01, rtol=0)

    def test_ranking_loss_wants_the_supported_claim_higher(self):
        batch = mock.Mock(labels=torch.tensor([0, 1]), owner=torch.tensor([0, 0]), wrong=torch.tensor([UNKNOWN]))
        good, bad = torch.tensor([[2.0, 0, 0], [0, 2.0, 0]]), torch.tensor([[0, 2.0, 0], [2.0, 0, 0]])
        self.assertLess(loss(good, None, batch) - loss(good, None, batch, 0), loss(bad, None, batch) - loss(bad, None, batch, 0))

    def test_wrong_tokens_are_those_that_differ_from_the_most_similar_claim(self):
        other, twin = [101, 9, 9, 9, 9, 9, 9, 102], [101, 1, 2, 3, 4, 5, 6, 102]
        self.assertEqual(wrong_tokens([101, 1, 2, 7, 4, 5, 6, 102], [other, twin]).tolist(), [0, 0, 0, 1, 0, 0, 0, 0])
        self.assertEqual(wrong_tokens([101, 1, 2, 4, 5, 6, 102], [other, twin]).tolist(), [0, 0, 1, 1, 0, 0, 0])
        self.assertIsNone(wrong_tokens([101, 8, 8, 8, 4, 5, 6, 102], [other]))

    def test_loss_wants_wrong_tokens_marked(self):
        batch = Batch([([[1, 2], [3, 4]], [3], [[UNKNOWN, UNKNOWN], [0, 1]])])
        logits, tokens = torch.zeros(1, 3), torch.zeros(STEP)
        tokens[3] = 2
        self.assertLess(loss(logits, tokens, batch), loss(logits, -tokens, batch))

    def test_export_keeps_the_weights(self):
        base = tiny_base()
        net, loaded, again = Judge(base), Judge(base), Judge(base)
        exact = {name: p.detach().clone() for name, p in net.named_parameters()}
        with tempfile.TemporaryDirectory() as directory:
            export.write(net, directory + "/judge")
            for other in (loaded, again):
                export.load(other, directory + "/judge")
            export.write(again, directory + "/again", known=load_file(directory + "/judge"))
            with open(directory + "/judge", "rb") as a, open(directory + "/again", "rb") as b:
                self.assertEqual(a.read(), b.read())
        for name, value in loaded.named_parameters():
            torch.testing.assert_close(value, exact[name], atol=0.15 * float(exact[name].abs().max()), rtol=0)
            torch.testing.assert_close(value, dict(net.named_parameters())[name], atol=0, rtol=0)

    def test_rounding_for_inputs_lowers_the_error_of_outputs(self):
        torch.manual_seed(1)
        inputs, weight = torch.randn(2000, 128) @ torch.randn(128, 128), torch.randn(64, 128)
        error = []
        for products in (None, inputs.T @ inputs):
            arrays = {"x." + end: value for end, value in export.pack(*export.rounded(weight, products)).items()}
            error.append(float((inputs @ (export.unpack(arrays, "x.weight") - weight).T).square().mean()))
        self.assertLess(error[1], 0.6 * error[0])

    def test_distances_have_the_buckets_of_mpnet(self):
        distances = torch.tensor([-200, -128, -20, -8, -7, 0, 1, 7, 8, 15, 127])
        self.assertEqual(bucket(distances).tolist(), [15, 15, 10, 8, 7, 0, 17, 23, 24, 25, 31])


if __name__ == "__main__":
    unittest.main()
