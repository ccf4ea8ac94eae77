#!/usr/bin/env python3
"""Says how a model stands on the evaluation suites, alone and beside the lexical judge.

It reads what tools/signals writes for rows of the suites:

    zstd -dc suite-dev.jsonl.zst | signals -model MODEL > signals.jsonl

A quick look while training, with a weight of the model to try: AUROC by suite, by
a row's least supported claim and by the mean of its claims. The figures that
count come from the built binary (make accuracy).
"""

import argparse
import collections
import math
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from grounding import text

SUITES = """ragtruth-subset mtrag lfqa-sentences faithbench wice-claims summedits ragtruth-subset-sentences qags-sentences
    frank cliff healthver feversym factcheckgpt xnli-en""".split()
MARGIN = 0.02  # how far lexical scores stay from 0 and 1 as log-odds
MOST = 8.0  # where the model's log-odds are cut


def auroc(scores, labels):
    """The share of pairs of a positive and a negative that are in the right order, ties counting a half."""
    labels = np.asarray(labels, bool)
    positive, negative = int(labels.sum()), int((~labels).sum())
    if not positive or not negative:
        return math.nan
    return (rankdata(scores)[labels].sum() - positive * (positive + 1) / 2) / (positive * negative)


def scores(weight):
    """What a claim is scored by: name, and a function of its signals."""

    def model(s):
        if s["Settled"]:
            return MOST
        return 0.0 if s["Unread"] else min(max(s["Support"], -MOST), MOST)

    def both(s):
        words = min(max(s["Words"], MARGIN), 1 - MARGIN)
        return math.log(words / (1 - words)) + weight * model(s)

    return {"words": lambda s: s["Words"], "model": model, "both": both}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("signals", type=Path)
    parser.add_argument("--weight", type=float, default=0.3, help="of the model's log-odds beside those of the words (default %(default)s)")
    args = parser.parse_args()
    by = collections.defaultdict(list)
    for r in text.read(args.signals):
        if r["signals"]:
            by[r["suite"]].append((r.get("label") == 1, r["signals"]))
    total, known = collections.Counter(), [s for s in SUITES if by[s]]
    print(f"{'least claim / mean of the claims':<34}", *(f"{n:>15}" for n in scores(0)))
    for suite in known:
        labels = [y for y, _ in by[suite]]
        line = []
        for name, score in scores(args.weight).items():
            claims = [[score(s) for s in signals] for _, signals in by[suite]]
            both = [auroc([f(x) for x in claims], labels) for f in (min, np.mean)]
            for i, a in enumerate(both):
                total[name, i] += a / len(known)
            line.append(f"{both[0]:.3f} / {both[1]:.3f}")
        print(f"{suite:<26} {len(labels):>7}", *(f"{x:>15}" for x in line))
    print(f"{'mean':<34}", *(f"{total[n, 0]:.3f} / {total[n, 1]:.3f}".rjust(15) for n in scores(0)))


if __name__ == "__main__":
    main()
