#!/usr/bin/env python3
"""Fits the verdict formula on held-out pairs.

It reads the output of tools/signals for the pairs and fits

    log-odds = bias + words*logit(words) + support*support - contradiction*max(contradiction, 0)
               - worst*worst

Sources have equal weights, as have the supported and unsupported claims of a source.
Coefficients are at least 0. With --weight, only the scale and the bias are fitted, the
ratio of support to words is fixed, and the other coefficients are 0: the model was
trained on the same sources as these pairs, so a fit would overestimate its weight.
Finally the bias is set to maximize the mean balanced accuracy of the sources at a
threshold of 0.5.
"""

import argparse
import collections
import json
import math
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

MIN_PAIRS, MIN_PER_LABEL = 40, 10  # per source


def read(path, margin, limit):
    """Returns the (features, supported) of the pairs that the model judged, by source."""
    by = collections.defaultdict(list)
    for line in open(path, encoding="utf8"):
        r = json.loads(line)
        for s in r["signals"] or []:
            if s["Settled"] or s["Unread"]:
                continue
            w = min(max(s["Words"], margin), 1 - margin)
            x = (
                math.log(w / (1 - w)),
                min(max(s["Support"], -limit), limit),
                -min(max(s["Contradiction"], 0), limit),
                -min(max(s["Worst"], -limit), limit),
            )
            by[r["source"]].append((x, r["label"] == 0))

    def is_large_enough(pairs):
        supported = sum(y for _, y in pairs)
        return len(pairs) >= MIN_PAIRS and min(supported, len(pairs) - supported) >= MIN_PER_LABEL

    return {source: pairs for source, pairs in by.items() if is_large_enough(pairs)}


def fit(x, y, weight, ridge):
    """Returns the bias and the coefficients, which are at least 0, by penalized maximum likelihood."""

    def loss(theta):
        z = theta[0] + x @ theta[1:]
        p = np.logaddexp(0, np.where(y, -z, z))
        g = np.where(y, -1, 1) / (1 + np.exp(np.where(y, z, -z)))
        value = (weight * p).sum() + ridge * (theta[1:] ** 2).sum()
        gradient = np.concatenate([[(weight * g).sum()], x.T @ (weight * g)])
        return value, gradient + 2 * ridge * np.concatenate([[0], theta[1:]])

    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    start = np.array([0.0] + [0.5] * x.shape[1])
    return minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x


def calibration_error(p, y, weight, bins=10):
    """Returns the expected calibration error over bins of equal width."""
    total = 0.0
    for b in range(bins):
        inside = (p >= b / bins) & ((p < (b + 1) / bins) | (b == bins - 1))
        if inside.any():
            total += abs((weight[inside] * (p[inside] - y[inside])).sum())
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signals", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="output file: the formula as JSON, for export.py --verdict")
    parser.add_argument("--weight", type=float, help="weight of the model's log-odds relative to the lexical ones (default: fitted)")
    parser.add_argument("--ridge", type=float, default=0.0, help="L2 penalty (default %(default)s)")
    parser.add_argument("--margin", type=float, default=0.02, help="clip lexical scores to [margin, 1 - margin] (default %(default)s)")
    parser.add_argument("--max", type=float, default=3.0, help="clip log-odds to [-max, max] (default %(default)s)")
    parser.add_argument("--windows", type=int, default=3, help="windows per claim (default %(default)s)")
    parser.add_argument("--room", type=int, default=200, help="tokens per window (default %(default)s)")
    parser.add_argument("--packed", type=int, default=160, help="tokens per packed window, or 0 (default %(default)s)")
    args = parser.parse_args()
    by = read(args.signals, args.margin, args.max)
    xs, ys, ws, sources = [], [], [], []
    for source, rows in sorted(by.items()):
        positive = sum(y for _, y in rows)
        for x, y in rows:
            xs.append(x)
            ys.append(y)
            sources.append(source)
            ws.append(0.5 / len(by) / (positive if y else len(rows) - positive))
    x, y, weight, sources = np.array(xs), np.array(ys), np.array(ws), np.array(sources)
    if args.weight is None:
        theta = fit(x, y, weight, args.ridge)
    else:
        bias, scale = fit(x[:, :1] + args.weight * x[:, 1:2], y, weight, args.ridge)
        theta = np.array([bias, scale, args.weight * scale, 0.0, 0.0])
    z = x @ theta[1:]
    p = 1 / (1 + np.exp(-(z + theta[0])))
    print(f"{len(y)} pairs of {len(by)} sources; fitted {np.round(theta, 3).tolist()}, calibration error {calibration_error(p, y, weight):.3f}", file=sys.stderr)

    def accuracy(bias):
        """Returns the mean balanced accuracy of the sources."""
        values = []
        for s in by:
            rows = sources == s
            correct = (z[rows] + bias >= 0) == y[rows]
            values.append(correct[y[rows]].mean() / 2 + correct[~y[rows]].mean() / 2)
        return np.mean(values)

    grid = np.arange(-4, 4, 0.05)
    smooth = np.convolve([accuracy(b) for b in grid], np.ones(9) / 9, "same")
    bias = float(grid[int(smooth.argmax())]) + 0.0  # avoid -0
    p = 1 / (1 + np.exp(-(z + bias)))
    print(f"bias {bias:.2f} (maximum likelihood {theta[0]:.2f}): mean balanced accuracy {accuracy(bias):.3f} ({accuracy(theta[0]):.3f}), calibration error {calibration_error(p, y, weight):.3f}", file=sys.stderr)
    for s in sorted(by):
        print(f"  {s:<24} {len(by[s]):>5} pairs, supported {np.mean([v for _, v in by[s]]):.2f}", file=sys.stderr)
    formula = dict(zip(("words", "support", "contradiction", "worst"), (round(float(t), 4) for t in theta[1:]), strict=True))
    formula |= {"bias": round(bias, 4) + 0.0, "margin": args.margin, "most": args.max, "windows": args.windows, "room": args.room, "packed": args.packed}
    args.out.write_text(json.dumps(formula, indent=1) + "\n")


if __name__ == "__main__":
    main()
