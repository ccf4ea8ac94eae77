#!/usr/bin/env python3
"""Fits the formula of the verdict on the pairs held back from training.

It reads the signals of the pairs, as tools/signals writes them:

    log-odds = bias + words*logit(words) + support*support - contradiction*max(contradiction, 0)
               - worst*worst

Every source weighs the same, and within it supported and not. Factors are kept
from falling below zero. With --weight the model's log-odds weigh that much beside
those of the words, and the rest nothing: the pairs are of sources that the model
was trained on, where it is better than elsewhere, and only the scale and the bias
are fitted. The bias is then moved to where the mean balanced accuracy of the
sources is highest, so that 0.5 is the threshold to use.
"""

import argparse
import collections
import json
import math
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

FEWEST = 40  # pairs of a source, and 10 of each label


def read(path, margin, most):
    """(source, features, supported) of each pair that the model read."""
    by = collections.defaultdict(list)
    for line in open(path, encoding="utf8"):
        r = json.loads(line)
        for s in r["signals"] or []:
            if s["Settled"] or s["Unread"]:
                continue
            w = min(max(s["Words"], margin), 1 - margin)
            x = (math.log(w / (1 - w)), min(max(s["Support"], -most), most), -min(max(s["Contradiction"], 0), most), -min(max(s["Worst"], -most), most))
            by[r["source"]].append((x, r["label"] == 0))
    return {k: v for k, v in by.items() if len(v) >= FEWEST and min(sum(y for _, y in v), sum(not y for _, y in v)) >= 10}


def fit(x, y, weight, ridge):
    """Bias and factors, the factors at least 0, by penalised maximum likelihood."""

    def loss(theta):
        z = theta[0] + x @ theta[1:]
        p = np.logaddexp(0, np.where(y, -z, z))
        g = np.where(y, -1, 1) / (1 + np.exp(np.where(y, z, -z)))
        return (weight * p).sum() + ridge * (theta[1:] ** 2).sum(), np.concatenate([[(weight * g).sum()], x.T @ (weight * g)]) + 2 * ridge * np.concatenate([[0], theta[1:]])

    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    start = np.array([0.0] + [0.5] * x.shape[1])
    return minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x


def calibration_error(p, y, weight, bins=10):
    """Expected calibration error over bins of equal width."""
    total = 0.0
    for b in range(bins):
        inside = (p >= b / bins) & ((p < (b + 1) / bins) | (b == bins - 1))
        if inside.any():
            total += abs((weight[inside] * (p[inside] - y[inside])).sum())
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signals", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the formula, as JSON for export.py --verdict")
    parser.add_argument("--weight", type=float, help="of the model's log-odds beside those of the words (default: it is fitted)")
    parser.add_argument("--ridge", type=float, default=0.0)
    parser.add_argument("--margin", type=float, default=0.02)
    parser.add_argument("--most", type=float, default=3.0)
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--room", type=int, default=200)
    parser.add_argument("--packed", type=int, default=160)
    args = parser.parse_args()
    by = read(args.signals, args.margin, args.most)
    xs, ys, ws, where = [], [], [], []
    for source, rows in sorted(by.items()):
        positive = sum(y for _, y in rows)
        for x, y in rows:
            xs.append(x)
            ys.append(y)
            where.append(source)
            ws.append(0.5 / len(by) / (positive if y else len(rows) - positive))
    x, y, weight, where = np.array(xs), np.array(ys), np.array(ws), np.array(where)
    if args.weight is None:
        theta = fit(x, y, weight, args.ridge)
    else:
        bias, scale = fit(x[:, :1] + args.weight * x[:, 1:2], y, weight, args.ridge)
        theta = np.array([bias, scale, args.weight * scale, 0.0, 0.0])
    z = x @ theta[1:]
    p = 1 / (1 + np.exp(-(z + theta[0])))
    print(f"{len(y)} pairs of {len(by)} sources; fitted {np.round(theta, 3).tolist()}, calibration error {calibration_error(p, y, weight):.3f}", file=sys.stderr)

    def accuracy(bias):
        return np.mean([((z[where == s] + bias >= 0) == y[where == s])[y[where == s]].mean() / 2 + ((z[where == s] + bias >= 0) == y[where == s])[~y[where == s]].mean() / 2 for s in by])

    grid = np.arange(-4, 4, 0.05)
    smooth = np.convolve([accuracy(b) for b in grid], np.ones(9) / 9, "same")
    bias = float(grid[int(smooth.argmax())]) + 0.0  # no -0
    p = 1 / (1 + np.exp(-(z + bias)))
    print(f"bias {bias:.2f} (likelihood {theta[0]:.2f}): mean balanced accuracy {accuracy(bias):.3f} ({accuracy(theta[0]):.3f}), calibration error {calibration_error(p, y, weight):.3f}", file=sys.stderr)
    for s in sorted(by):
        print(f"  {s:<24} {len(by[s]):>5} pairs, supported {np.mean([v for _, v in by[s]]):.2f}", file=sys.stderr)
    formula = dict(zip(("words", "support", "contradiction", "worst"), (round(float(t), 4) for t in theta[1:]), strict=True))
    formula |= {"bias": round(bias, 4) + 0.0, "margin": args.margin, "most": args.most, "windows": args.windows, "room": args.room, "packed": args.packed}
    args.out.write_text(json.dumps(formula, indent=1) + "\n")


if __name__ == "__main__":
    main()
