#!/usr/bin/env python3
"""Says how weights stand on the evaluation suites, alone and beside the lexical judge.

A quick look while training: it takes the claims and the lexical scores from
`ragfaith score suite-dev.jsonl --judge lexical --to jsonl --keep suite --keep label`
and runs the network on the windows that share most words with a claim. The
figures that count come from the built binary (make accuracy).
"""

import argparse
import collections
import math
from pathlib import Path

import numpy as np
import torch
from scipy.stats import rankdata, spearmanr
from tokenizers import Tokenizer

from grounding import layout, text
from grounding.model import Grounding, batch

SUITES = """ragtruth-subset mtrag lfqa-sentences faithbench wice-claims summedits ragtruth-subset-sentences qags-sentences
    frank cliff healthver feversym factcheckgpt xnli-en""".split()


def auroc(scores, labels):
    scores, labels = np.asarray(scores, float), np.asarray(labels)
    positive = int(labels.sum())
    negative = len(labels) - positive
    if not positive or not negative:
        return math.nan
    return (rankdata(scores)[labels == 1].sum() - positive * (positive + 1) / 2) / (positive * negative)


def jobs(rows, rarity, most, budget):
    """(window, claims as (row, claim)) for each window, by the claims that it serves."""
    for r, row in enumerate(rows):
        windows = []
        for c in row["contexts"]:
            for w in text.windows(c, budget, 1):
                if windows and text.length(windows[-1]) + text.length(w) <= 0.7 * budget:
                    windows[-1] += " " + w
                else:
                    windows.append(w)
        have = [set(text.content(w)) for w in windows]
        serves = collections.defaultdict(list)
        for i, c in enumerate(row["claims"]):
            words = text.content(c["text"])
            by = sorted(range(len(windows)), key=lambda w: -rarity.coverage(words, have[w]))
            for w in by[:most]:
                serves[w].append((r, i))
        for w, claims in serves.items():
            yield windows[w], claims


@torch.no_grad()
def run(net, tokenizer, rows, rarity, most, budget):
    """Sets logit (of support) and token (the worst word) of each claim: the best of its windows."""
    vocabulary = layout.Vocabulary(tokenizer)
    encode = lambda t, n: tokenizer.encode(t, add_special_tokens=False).ids[:n]
    items = []
    for window, claims in jobs(rows, rarity, most, budget):
        ids = encode(window, layout.MAX_WINDOW)
        for i in range(0, len(claims), 8):
            some = claims[i : i + 8]
            texts = [encode(rows[r]["claims"][c]["text"], layout.MAX_CLAIM) or [layout.SEP] for r, c in some]
            items.append((layout.sequence(vocabulary, ids, texts), some))
    items.sort(key=lambda item: len(item[0].ids))
    for row in rows:
        for c in row["claims"]:
            c["logit"] = -math.inf
    i = 0
    while i < len(items):
        j = i + 1
        while j < len(items) and len(items[j][0].ids) * (j + 1 - i) <= 8192:
            j += 1
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits, tokens, inside = net(*batch([s for s, _ in items[i:j]]))
        log = torch.log_softmax(logits.float(), 1)
        support = (log[:, 0] - torch.logsumexp(log[:, 1:], 1)).tolist()
        worst = tokens.float().masked_fill(~inside, -99).max(1).values.tolist()
        for (r, c), x, t, three in zip((x for _, some in items[i:j] for x in some), support, worst, logits.tolist(), strict=True):
            claim = rows[r]["claims"][c]
            if x > claim["logit"]:
                claim |= {"logit": x, "token": t, "three": three}
        i = j


def sigmoid(x):
    return 1 / (1 + math.exp(-max(min(x, 50), -50)))


SCORES = {
    "lexical": lambda c: c["score"],
    "model": lambda c: c["logit"],
    "sum": lambda c: c["score"] + sigmoid(c["logit"] / 2),
    "half": lambda c: c["score"] + 0.5 * sigmoid(c["logit"] / 2),
    "logits": lambda c: math.log((c["score"] + 0.02) / (1.02 - c["score"])) + 0.5 * c["logit"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="trained weights, or the state of a run")
    parser.add_argument("--init", type=Path, required=True, help="folder with tokenizer.json and config.json")
    parser.add_argument("--results", type=Path, nargs="+", required=True, help="results of the lexical judge on the suites")
    parser.add_argument("--docs", type=Path, required=True, help="documents, to count words in")
    parser.add_argument("--windows", type=int, default=3, help="windows of a claim (default %(default)s)")
    parser.add_argument("--budget", type=int, default=180, help="tokens of a window (default %(default)s)")
    parser.add_argument("--rows", type=int, default=10**9, help="of a suite")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    tokenizer = Tokenizer.from_file(str(args.init / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if args.weights.suffix == ".state":
        import json

        net = Grounding(json.loads((args.init / "config.json").read_text()))
        net.load_state_dict(torch.load(args.weights, map_location="cpu")["net"])
    else:
        net = Grounding.load(args.weights)
    net.eval()
    rarity = text.Rarity.count(d["text"] for d in text.read(args.docs))
    rows, count = [], collections.Counter()
    for path in args.results:
        for r in text.read(path):
            suite = r.get("suite", "people")
            if r["claims"] and (suite in SUITES or suite == "people") and count[suite] < args.rows:
                count[suite] += 1
                rows.append(r | {"suite": suite})
    run(net, tokenizer, rows, rarity, args.windows, args.budget)
    by = collections.defaultdict(list)
    for r in rows:
        by[r["suite"]].append(r)
    print("suite".ljust(28), "  ".join(f"{n:>13}" for n in SCORES), "  least/mean claim of a row")
    total = collections.Counter()
    for suite in SUITES:
        line = []
        for name, f in SCORES.items():
            labels = [r["label"] for r in by[suite]]
            each = [[f(c) for c in r["claims"]] for r in by[suite]]
            least, mean = auroc([min(x) for x in each], labels), auroc([np.mean(x) for x in each], labels)
            line.append(f"{least:.3f} / {mean:.3f}")
            total[name, 0] += least / len(SUITES)
            total[name, 1] += mean / len(SUITES)
        print(suite.ljust(28), "  ".join(line))
    print("mean".ljust(28), "  ".join(f"{total[n, 0]:.3f} / {total[n, 1]:.3f}" for n in SCORES))
    if people := by["people"]:
        ratings = [r["human_mean"] for r in people]
        line = []
        for f in SCORES.values():
            each = [[f(c) for c in r["claims"]] for r in people]
            line.append(f"{spearmanr([min(x) for x in each], ratings)[0]:.3f} / {spearmanr([np.mean(x) for x in each], ratings)[0]:.3f}")
        print("people (Spearman)".ljust(28), "  ".join(line))


if __name__ == "__main__":
    main()
