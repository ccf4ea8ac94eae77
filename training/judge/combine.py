"""combine.py BINARY DATA: fit the weights with which the embedded judge combines its network and the lexical judge.

Both judges score everyday answers (everyday-dev and testdata/everyday*.jsonl), minimal pairs (testdata/pairs2.jsonl, pairs3.jsonl
and contrast-dev), claims-dev and 14 suites (80 rows each). The weights are fitted on one half, so that
the lowest claim of a row predicts its label, and reported on the other. Prints the weights, then AUROC and balanced accuracy.
"""
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from overlap import read

SUITES = ("ragtruth-subset mtrag lfqa-sentences faithbench wice-claims summedits ragtruth-subset-sentences qags-sentences frank cliff "
          "healthver feversym factcheckgpt xnli-en").split()
PER_SUITE = 80
# Shares of the sets in the loss. contrast-dev counts little: the rules of the lexical judge were written on it, and are worse on
# other pairs.
SHARES = {"everyday": 1, "pairs": 0.5, "contrast": 0.3, "claims": 0.5, "suites": 1.5}
TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata/")
NETWORK_SCALE, MAX_LEXICAL, PASSAGE_WORDS = 3, 4.6, 130  # as in internal/verdict/embedded


def sets(data):
    """(set, suite or "", half, row with question, answer, contexts, label)."""
    for r in read(data, "everyday-dev"):
        yield "everyday", "", hash_half(r["pair"]), r
    for name, files in (("everyday", ("everyday", "everyday2", "everyday3", "everyday4")), ("pairs", ("pairs2", "pairs3"))):
        for file in files:
            with open(TESTDATA + file + ".jsonl") as f:
                for r in map(json.loads, f):
                    yield name, "", hash_half(r["pair"]), r
    for p in read(data, "contrast-dev"):
        for case in p["cases"]:
            yield "contrast", "", int(re.findall(r"\d+", p["id"])[-1]) % 2, case | {"contexts": p["contexts"], "label": case["expect"] == "supported"}
    for r in read(data, "claims-dev"):
        if not r["qa"]:
            row = {"question": "", "answer": r["hypothesis"], "contexts": [r["premise"]], "label": r["label"] == "supported"}
            yield "claims", "", hash_half(r["premise"]), row
    suites = collections.defaultdict(list)
    for r in read(data, "suite-dev"):
        suites[r["suite"]].append(r)
    for name in SUITES:
        random.Random(1).shuffle(suites[name])
        for k, r in enumerate(suites[name][:PER_SUITE]):
            yield "suites", name, k % 2, r


def hash_half(text):
    return sum(str(text).encode()) % 2


def judge(binary, rows, name):
    """The claims of each row."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        for k, r in enumerate(rows):
            f.write(json.dumps({"id": str(k), "question": r["question"] or "", "answer": r["answer"], "contexts": r["contexts"]}) + "\n")
        f.flush()
        command = [binary, "score", f.name, "--judge", name, "--to", "jsonl", "-q", "--config", "none", "--row-timeout", "0s"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line)["claims"] for line in lines]


def logit(p):
    return math.log(p / (1 - p)) if 0 < p < 1 else math.copysign(99, p - 0.5)


def inputs(row, lexical, embedded):
    network = re.search(r"network: ([\d.]+)", embedded["reason"])
    score = 0.5 if lexical["score"] is None else lexical["score"]
    read = math.tanh(logit(float(network[1])) / NETWORK_SCALE) if network else 0
    found = max(-MAX_LEXICAL, min(logit(score), MAX_LEXICAL))
    share = min(1, PASSAGE_WORDS / sum(len(c.split()) for c in row["contexts"]))
    return [1, read * share, found, found * (share < 1), lexical["verdict"] == "contradicted"]


def main(binary, data):
    rows = list(sets(data))
    texts = [r for *_, r in rows]
    x, owner, kept = [], [], []
    for row, lexical, embedded in zip(rows, judge(binary, texts, "lexical"), judge(binary, texts, "embedded")):
        if lexical:
            x += [inputs(row[-1], a, b) for a, b in zip(lexical, embedded)]
            owner += [len(kept)] * len(lexical)
            kept.append(row)
    x, owner = torch.tensor(x, dtype=torch.double), torch.tensor(owner)
    label = torch.tensor([float(r["label"]) for *_, r in kept], dtype=torch.double)
    name, suite, half = (np.array(column) for column in list(zip(*kept))[:3])
    share = torch.tensor([SHARES[n] / ((name == n) & (half == 1)).sum() * (h == 1) for n, h in zip(name, half)])

    def lowest(odds):
        return torch.full((len(kept),), np.inf, dtype=torch.double).scatter_reduce(0, owner, odds, "amin")

    weights = torch.zeros(x.shape[1], dtype=torch.double, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=200)

    def loss():
        optimizer.zero_grad()
        entropy = torch.nn.functional.binary_cross_entropy_with_logits(lowest(x @ weights), label, reduction="none")
        value = (share * entropy).sum() / share.sum() + 1e-3 * (weights[1:] ** 2).sum()
        value.backward()
        return value

    optimizer.step(loss)
    weights = weights.detach()
    print("bias, network, lexical, lexical x several, contradicted:", [round(float(w), 2) for w in weights])
    for title, odds in (("combined", lowest(x @ weights).numpy()), ("network", lowest(x[:, 1]).numpy()), ("lexical", lowest(x[:, 2]).numpy())):
        for n in SHARES:
            figures = []
            for s in sorted(set(suite[name == n])):
                at = (name == n) & (suite == s) & (half == 0)
                y, found = label.numpy()[at] == 1, odds[at]
                figures.append((roc_auc_score(y, found), ((found[y] >= 0).mean() + (found[~y] < 0).mean()) / 2))
            print(f"{title:9} {n:9} AUROC %.3f balanced accuracy %.3f" % tuple(np.mean(figures, 0)))


if __name__ == "__main__":
    main(*sys.argv[1:])
