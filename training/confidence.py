"""confidence.py BINARY DATA [ROWS.jsonl ...]: reliability of the confidence of the lexical judge, and its constants.

DATA holds suite-dev and claims-dev (.jsonl.zst), DATA/../behaviours contrast-dev and everyday-dev (.jsonl). The
constants (internal/verdict/lexical/basis.go) are fitted on half of the passages of each, chosen by a hash, by
weighted logistic regression. The table is about the other halves and about the rows of ROWS, which are never used for
fitting. A row counts as right if "all claims are supported" equals its label, and its confidence is that of the
claim that decides this: the one with the lowest score. Needs numpy and zstandard.
"""
import collections
import io
import json
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import zstandard

# Weights of the kinds of data. Claims and contrast were written to be hard, and the rules were made while looking at
# contrast.
WEIGHTS = {"suites": 8.0, "claims": 1.0, "contrast": 0.5, "everyday": 1.0}
BINS = 10
CERTAIN = 0.7


def lines(path):
    if path.suffix == ".zst":
        with open(path, "rb") as f:
            return [json.loads(line) for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(f), "utf-8")]
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def pairs(path):
    return [(r["pair"], r["question"], r["answer"], r["contexts"], int(r["label"])) for r in lines(path)]


def read(data):
    behaviours = data.parent / "behaviours"
    suites = [(str(r["id"]), r.get("question") or "", r["answer"], r["contexts"], int(r["label"]))
              for r in lines(data / "suite-dev.jsonl.zst") if r.get("label") is not None]
    claims = [(r["premise"][:80], "", r["hypothesis"], [r["premise"]], int(r["label"] == "supported"))
              for r in lines(data / "claims-dev.jsonl.zst")]
    contrast = [(r["id"], c.get("question") or "", c["answer"], r["contexts"], int(c["expect"] == "supported"))
                for r in lines(behaviours / "contrast-dev.jsonl") for c in r["cases"]]
    return {"suites": suites, "claims": claims, "contrast": contrast, "everyday": pairs(behaviours / "everyday-dev.jsonl")}


def score(binary, rows):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as f:
        for i, (_, question, answer, contexts, _) in enumerate(rows):
            f.write(json.dumps({"id": str(i), "question": question, "answer": answer, "contexts": contexts}) + "\n")
        f.flush()
        run = subprocess.run([binary, "score", f.name, "--judge", "lexical", "--to", "jsonl", "-q", "--config", "none", "--no-progress"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


Unit = collections.namedtuple("Unit", "kind fitted right evidence score confidence")


def evidence(claim):
    """The kind of evidence, from the reason (as in basis.go)."""
    reason, supported = claim["reason"], claim["verdict"] == "supported"
    if claim["score"] == 1:
        return "verbatim"
    if supported:
        return "stated" if reason.startswith("stated in ") else "close"
    if claim["verdict"] == "contradicted":
        return "contradicted"
    return "words" if re.match("the contexts (say|limit|do not assert) ", reason) else "missing"


def units(kind, rows, results):
    out = []
    for (key, *_, label), result in zip(rows, results):
        claims = [c for c in result["claims"] or [] if c["score"] is not None]
        if result["status"] != "scored" or not claims:
            continue
        c = min(claims, key=lambda c: c["score"])
        right = all(c["verdict"] == "supported" for c in claims) == bool(label)
        out.append(Unit(kind, zlib.crc32(str(key).encode()) % 2 == 1, right, evidence(c), c["score"], c["confidence"]))
    return out


UNCERTAIN = ["words", "missing"]  # below 0.7 whatever the score: right answers in other words look the same
BEND, BENT = 0.68, 0.1  # above BEND, the rest counts as BENT
KINDS = ["verbatim", "stated", "close", "contradicted", "words", "missing"]

SLOPES = ["stated", "close", "words", "missing"]  # kinds whose confidence depends on the score


def features(units):
    x = np.zeros((len(units), len(KINDS) + len(SLOPES)))
    for i, u in enumerate(units):
        x[i, KINDS.index(u.evidence)] = 1
        if u.evidence in SLOPES:
            x[i, len(KINDS) + SLOPES.index(u.evidence)] = u.score - 0.5
    return x


def fit(units):
    """Logistic regression by Newton's method, with a slight penalty."""
    size = collections.Counter(u.kind for u in units)
    w = np.array([1000 * WEIGHTS[u.kind] / size[u.kind] for u in units])
    x, y = features(units), np.array([u.right for u in units], float)
    b, penalty = np.zeros(x.shape[1]), 1.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ b))
        b += np.linalg.solve((x * (w * p * (1 - p))[:, None]).T @ x + penalty * np.eye(len(b)), x.T @ (w * (y - p)) - penalty * b)
    return b


def confidence(units, b):
    p = 1 / (1 + np.exp(-features(units) @ b))
    return np.where([u.evidence in UNCERTAIN for u in units], np.minimum(p, BEND) + BENT * np.maximum(p - BEND, 0), p)


def table(name, p, right):
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    ece = sum(abs(p[bins == k].sum() - right[bins == k].sum()) for k in range(BINS)) / len(p)
    certain = p >= CERTAIN
    share = lambda m: "–" if not m.any() else "%.2f" % right[m].mean()
    print("| %s | %d | %.2f | %.2f | %.3f | %.2f | %s | %s |" % (
        name, len(p), right.mean(), p.mean(), ece, certain.mean(), share(certain), share(~certain)))
    return [(k, int((bins == k).sum()), p[bins == k].mean(), right[bins == k].mean()) for k in range(BINS) if (bins == k).any()]


def main():
    binary, data, extra = sys.argv[1], Path(sys.argv[2]), [Path(p) for p in sys.argv[3:]]
    sets = read(data) | {str(p): pairs(p) for p in extra}
    all_units = {kind: units(kind, rows, score(binary, rows)) for kind, rows in sets.items()}
    b = fit([u for kind in WEIGHTS for u in all_units[kind] if u.fitted])
    for name in KINDS:  # the constants of basis.go
        slope = " %+.2f (score - 0.5)" % b[len(KINDS) + SLOPES.index(name)] if name in SLOPES else ""
        print("%-14s %+.2f%s" % (name, b[KINDS.index(name)], slope))
    for title, of in (("fitted", lambda us: confidence(us, b)), ("of the binary", lambda us: np.array([u.confidence for u in us], float))):
        print("\nconfidence %s\n| rows | n | right | mean confidence | ECE | share >= %.1f | of which right | right below |\n|---|--:|--:|--:|--:|--:|--:|--:|" % (title, CERTAIN))
        bins = {}
        for kind, us in all_units.items():
            us = [u for u in us if u.confidence and (kind not in WEIGHTS or not u.fitted)]
            bins[kind] = table(kind, of(us), np.array([u.right for u in us], float))
        for kind, rows in bins.items():
            print("%s: %s" % (kind, "; ".join("%.1f–%.1f n %d said %.2f right %.2f" % (k / BINS, (k + 1) / BINS, n, p, r) for k, n, p, r in rows)))


if __name__ == "__main__":
    main()
