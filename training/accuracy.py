"""accuracy.py BINARY DATA [JUDGE ...]: compares the judges of a ragfaith binary with human labels.

DATA holds suite-dev, mtrag-human-dev and docs (.jsonl.zst). For each suite it prints, as Markdown, the AUROC of the
minimum claim score with a 95% bootstrap interval and the balanced accuracy of faithfulness = 1, beside a floor, the
word overlap; for rated answers, the correlation of support with the ratings. Further judges are compared with the
first one. Needs numpy, scikit-learn, scipy and zstandard.
"""
import collections
import io
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import zstandard
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import balanced_accuracy_score

HEADLINE = ["ragtruth-subset", "mtrag", "lfqa-sentences", "faithbench", "wice-claims", "summedits"]
ENGLISH = HEADLINE + ["ragtruth-subset-sentences", "qags-sentences", "frank", "cliff", "healthver", "feversym", "factcheckgpt", "xnli-en"]
FAITHFUL = 3.5  # mean human rating from which an answer counts as faithful
RESAMPLES = 1000
LOSS = 0.02  # loss against the first judge above which a suite is listed

FLOOR_THRESHOLD = 0.617  # fitted on rows that are not measured here
FLOOR_WINDOW = 79  # content words in about 180 tokens
WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*%?|[^\W\d_]+")
STOP_WORDS = set("""a an the of in on at to for from by with and or but nor so as is are was were be been being am it
its this that these those there here he she they them his her their we us our you your i my me who whom whose which
what when where why how do does did have has had will would can could may might shall should must no not if then than
also into about over under after before between during through up down out off again more most some such only own same
too very just because while until both each few other any all s t now per via upon among within against""".split())


def lines(path):
    with open(path, "rb") as f:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(f), "utf-8"):
            yield json.loads(line)


def stem(word):
    """Removes common English endings."""
    word = word.replace("’", "'").removesuffix("'s")
    if len(word) <= 4:
        return word
    for end in ("ing", "ies", "es", "ed", "s", "ly"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word.removesuffix(end) + ("y" if end == "ies" else "")
            break
    return word.removesuffix("e") if len(word) > 4 else word


def words(text):
    return [stem(w) for w in map(str.lower, WORD.findall(text)) if w not in STOP_WORDS]


class Floor:
    """Scores a claim by the share of its words, weighted by IDF, in the best window of the contexts."""

    def __init__(self, docs):
        self.frequency, self.documents = collections.Counter(), 0
        for doc in lines(docs):
            self.documents += 1
            self.frequency.update(set(words(doc["text"])))

    def scores(self, row):
        windows = []
        for context in row["contexts"]:
            w = words(context)
            windows += [set(w[i:i + FLOOR_WINDOW]) for i in range(0, max(1, len(w) - FLOOR_WINDOW * 2 // 3), FLOOR_WINDOW // 3)]
        return [max((self.share(words(c["text"]), window) for window in windows), default=0) for c in row["claims"]]

    def share(self, claim, window):
        idf = [math.log((self.documents + 1) / (self.frequency[w] + 0.5)) for w in claim]
        return sum(x for w, x in zip(claim, idf) if w in window) / sum(idf) if idf else 1.0


class Table:
    """The scored rows of a suite."""

    def __init__(self, rows, floor):
        scored = [r for r in rows if r["status"] == "scored"]
        self.rows, self.unscored = len(rows), len(rows) - len(scored)
        self.label = np.array([r["human_mean"] >= FAITHFUL if r.get("human_mean") is not None else r["label"] == 1 for r in scored])
        self.rating = np.array([r.get("human_mean") or 0 for r in scored])
        self.minimum = np.array([min(c["score"] for c in r["claims"]) for r in scored])
        self.support = np.array([r["support"] for r in scored])
        self.right = np.array([r["faithfulness"] == 1 for r in scored])
        overlap = [floor.scores(r) for r in scored]
        self.floor, self.floor_mean = np.array([min(o) for o in overlap]), np.array([np.mean(o) for o in overlap])

    def accuracy(self, predicted):
        return balanced_accuracy_score(self.label, predicted)


def auroc(label, score):
    n = label.sum()
    return (rankdata(score)[label].sum() - n * (n + 1) / 2) / (n * (len(label) - n))


def interval(pairs):
    """The 95% bootstrap interval of the mean over tables of the AUROC, or of its difference. pairs holds for each table the labels and one or two scores; rows are resampled within tables."""
    rng, means = np.random.default_rng(1), []
    for _ in range(RESAMPLES):
        total = 0.0
        for label, *scores in pairs:
            while True:
                i = rng.integers(len(label), size=len(label))
                if label[i].any() != label[i].all():
                    break
            values = [auroc(label[i], s[i]) for s in scores]
            total += values[0] - (values[1] if len(values) > 1 else 0)
        means.append(total / len(pairs))
    return tuple(np.percentile(means, [2.5, 97.5]))


def score(binary, judge, file, keep):
    args = [binary, "score", file, "--judge", judge, "--to", "jsonl", "-q", "--no-progress"] + [x for k in keep for x in ("--keep", k)]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as run:
        rows = [json.loads(line) for line in run.stdout]
    if run.returncode:
        sys.exit(f"{file}: exit code {run.returncode}")
    return rows


def report(judges):
    """Prints the tables. judges maps a name to its table by suite and that of the rated answers."""
    first, rated = next(iter(judges.values()))
    mean = lambda values: float(np.mean(list(values)))
    print("\n| suite | rows | without claims | floor: AUROC | balanced accuracy |" + "".join(f" {j}: AUROC | balanced accuracy |" for j in judges))
    print("|---|--:|--:|--:|--:|" + "--:|--:|" * len(judges))

    def row(name, counts, suites):
        cells = f"| {name} | {counts} | {mean(auroc(first[s].label, first[s].floor) for s in suites):.3f} | {mean(first[s].accuracy(first[s].floor >= FLOOR_THRESHOLD) for s in suites):.3f} |"
        for tables, _ in judges.values():
            low, high = interval([(tables[s].label, tables[s].minimum) for s in suites])
            cells += f" {mean(auroc(tables[s].label, tables[s].minimum) for s in suites):.3f} ({low:.3f} to {high:.3f}) | {mean(tables[s].accuracy(tables[s].right) for s in suites):.3f} |"
        print(cells)

    for s in sorted(first, key=lambda s: ENGLISH.index(s) if s in ENGLISH else len(ENGLISH)):
        row(f"**{s}**" if s in HEADLINE else s, f"{first[s].rows} | {first[s].unscored}", [s])
    row("mean of the headline suites", "|", HEADLINE)
    row(f"mean of the {len(ENGLISH)} English suites", "|", ENGLISH)
    print()
    for name, (tables, _) in judges.items():
        by_support = lambda suites: mean(auroc(tables[s].label, tables[s].support) for s in suites)
        below = [s for s in HEADLINE if auroc(tables[s].label, tables[s].minimum) < auroc(tables[s].label, tables[s].floor)]
        print(f"{name} by support, the mean of a row's claims: AUROC {by_support(HEADLINE):.3f} on the headline suites, {by_support(ENGLISH):.3f} on the English suites. Below the floor: {', '.join(below) or 'none'}.")
    for name, (tables, _) in list(judges.items())[1:]:
        gain = {s: auroc(tables[s].label, tables[s].minimum) - auroc(first[s].label, first[s].minimum) for s in ENGLISH}
        low, high = interval([(tables[s].label, tables[s].minimum, first[s].minimum) for s in ENGLISH])
        print(f"{name} over {next(iter(judges))} on the English suites: AUROC {mean(gain.values()):+.3f} ({low:+.3f} to {high:+.3f}), more than {LOSS} below it on: {', '.join(s for s in ENGLISH if gain[s] < -LOSS) or 'none'}.")
    print("\n| MTRAG, human ratings | answers | Spearman | AUROC at 3.5 |\n|---|--:|--:|--:|\n| RAGAS, as published | 216 | 0.520 | 0.726 |")
    for name, table, values in [("floor", rated, rated.floor_mean)] + [(j, t, t.support) for j, (_, t) in judges.items()]:
        print(f"| {name} | {len(values)} | {spearmanr(values, table.rating).statistic:.3f} | {auroc(table.label, values):.3f} |")


def main():
    binary, data = sys.argv[1], Path(sys.argv[2])
    floor, judges = Floor(data / "docs.jsonl.zst"), {}
    for judge in sys.argv[3:] or ["lexical"]:
        suites = collections.defaultdict(list)
        for r in score(binary, judge, data / "suite-dev.jsonl.zst", ["suite", "label"]):
            suites[r["suite"]].append(r)
        rated = score(binary, judge, data / "mtrag-human-dev.jsonl.zst", ["human_mean"])
        judges[judge] = {s: Table(rows, floor) for s, rows in suites.items()}, Table(rated, floor)
    report(judges)


if __name__ == "__main__":
    main()
