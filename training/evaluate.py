#!/usr/bin/env python3
"""Prints the AUROC of a model on the evaluation suites, alone and with the lexical judge.

It reads the output of tools/signals for the suites:

    zstd -dc suite-dev.jsonl.zst | signals -model MODEL > signals.jsonl

Rows are scored by their minimum and their mean claim score. This is a quick check
during training; make accuracy measures the built binary.
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
MARGIN = 0.02  # lexical scores are clipped to [MARGIN, 1 - MARGIN] before the logit
MAX_LOGIT = 8.0  # the log-odds of the model are clipped to [-MAX_LOGIT, MAX_LOGIT]


def auroc(scores, labels):
    """Returns the area under the ROC curve, NaN if a label is missing."""
    labels = np.asarray(labels, bool)
    positive, negative = int(labels.sum()), int((~labels).sum())
    if not positive or not negative:
        return math.nan
    return (rankdata(scores)[labels].sum() - positive * (positive + 1) / 2) / (positive * negative)


def scores(weight):
    """Returns functions from the signals of a claim to a score, by name."""

    def model(s):
        if s["Settled"]:
            return MAX_LOGIT
        return 0.0 if s["Unread"] else min(max(s["Support"], -MAX_LOGIT), MAX_LOGIT)

    def both(s):
        words = min(max(s["Words"], MARGIN), 1 - MARGIN)
        return math.log(words / (1 - words)) + weight * model(s)

    return {"words": lambda s: s["Words"], "model": model, "both": both}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("signals", type=Path)
    parser.add_argument("--weight", type=float, default=0.3, help="weight of the model's log-odds relative to the lexical ones (default %(default)s)")
    args = parser.parse_args()
    by = collections.defaultdict(list)
    for r in text.read(args.signals):
        if r["signals"]:
            by[r["suite"]].append((r.get("label") == 1, r["signals"]))
    total, known = collections.Counter(), [s for s in SUITES if by[s]]
    print(f"{'minimum / mean of the claims':<34}", *(f"{n:>15}" for n in scores(0)))
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
