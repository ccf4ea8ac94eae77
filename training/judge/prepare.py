"""prepare.py DATA OUT: choose the training claims and write them to OUT/train.npz as token ids, with OUT/prepare.json as report.

1. Claims that share a run of 12 words with an evaluation text are dropped.
2. Sources that hold one label only are dropped, and templates, captions and noisy sources are capped.
3. A classifier that sees only the claim is cross-validated on each source. Where its AUROC is above .65, the claims that it
   finds easiest are dropped until it is not.
4. The claims are grouped by passage. One passage in a hundred is held out, to evaluate by source.
5. In a claim that is not supported, the tokens that are not in the most similar supported claim of the passage are marked as wrong.
"""
import collections
import difflib
import json
import os
import random
import sys
import zlib

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from model import LABELS, MAX_PASSAGE, PASSAGE, UNKNOWN, encode, encode_claims, groups_of, tokenizer
from overlap import evaluation_runs, read, shares_run

MAX_ALONE = 0.65  # AUROC that the claim alone may reach
TWIN = 0.55  # least similarity of two claims of which one is supported, for the difference to be what is wrong with the other
GROUNDED = {"claim-gold-evidence", "contract-clause", "infobox-claim", "yesno-statement", "conjunction"}
TEMPLATES = {"hans", "wikires-respectively", "scone", "equate-stresstest", "equate-awpnli", "breaking-nli", "syntactic-augmentation",
             "bbq-statements", "dnc-megaveridicality", "dnc-verbnet", "dnc-winogender", "strategyqa-facts"}
CAPS = {"impli": 2000, "semeval2013-student-answers": 2000, "snli-train-20k": 6000, "snli-dev": 5000, "snli-test": 5000, "infotabs": 5000}


def cap(source):
    return 700 if source in TEMPLATES else CAPS.get(source, 10**9)


def load(data):
    """Rows of premise, hypothesis, label, source, family. Sources of a family are classified together in step 3."""
    for row in read(data, "claims-train"):
        yield row | {"family": "claims"}
    for row in read(os.path.dirname(os.path.abspath(__file__)), "claims"):
        yield row | {"family": "claims"}
    for row in read(data, "pairs-train"):
        yield row | {"family": row["source"]}
    for row in read(data, "grounded-train"):
        if row["kind"] in GROUNDED:
            yield row | {"family": row["source"]}


def capped(rows, most):
    """At most so many rows, chosen at random, in their order: twins stay together."""
    chosen = random.Random(1).sample(range(len(rows)), min(len(rows), most))
    return [rows[k] for k in sorted(chosen)]


def one_label(rows):
    supported = sum(r["label"] == "supported" for r in rows)
    return min(supported, len(rows) - supported) < len(rows) / 10


def claim_alone(rows):
    """Cross-validated log odds that a claim is supported, from its words and pairs of words."""
    x = HashingVectorizer(n_features=2**18, ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]").transform(r["hypothesis"] for r in rows)
    y = [r["label"] == "supported" for r in rows]
    passages = [zlib.crc32(r["premise"].encode()) for r in rows]
    return cross_val_predict(LogisticRegression(C=3, solver="liblinear"), x, y, groups=passages, cv=GroupKFold(5), method="decision_function")


def easiest_dropped(rows, odds):
    """The rows without as many of the easiest as it takes for the AUROC to be at most MAX_ALONE."""
    y = np.array([r["label"] == "supported" for r in rows])
    order = np.argsort(np.where(y, odds, -odds), kind="stable")  # the hardest first
    auroc = lambda n: roc_auc_score(y[order[:n]], odds[order[:n]])
    keep, none = len(rows), len(rows) // 10
    if auroc(keep) > MAX_ALONE:
        while keep - none > 1:
            middle = (keep + none) // 2
            keep, none = (middle, none) if auroc(middle) > MAX_ALONE else (keep, middle)
        keep = none
    return [rows[k] for k in sorted(order[:keep])]


def balanced(rows, report):
    """Two rounds, since a classifier fitted to what the first round left finds other cues."""
    for _ in range(2):
        odds, kept, by_source = claim_alone(rows), [], collections.defaultdict(list)
        for row, value in zip(rows, odds):
            by_source[row["source"]].append((row, value))
        for source, items in by_source.items():
            some, values = [r for r, _ in items], np.array([v for _, v in items])
            report[source]["claim_alone"].append(round(roc_auc_score([r["label"] == "supported" for r in some], values), 3))
            kept += easiest_dropped(some, values)
        rows = kept
    return rows


def wrong_tokens(claim, supported):
    """Of the tokens of a claim that is not supported, 1 for those that differ from the most similar supported claim, or stand beside
    what was left out of it. None if no claim is similar."""
    best, twin = TWIN, None
    for other in supported:
        matcher = difflib.SequenceMatcher(None, other, claim, autojunk=False)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, twin = matcher.ratio(), matcher
    if not twin:
        return None
    wrong = np.zeros(len(claim), np.int8)
    for operation, _, _, start, end in twin.get_opcodes():
        if operation == "delete":
            start, end = start - 1, start + 1
        if operation != "equal":
            wrong[start:end] = 1
    wrong[[0, -1]] = 0
    return wrong


def marks(claims, labels):
    """For each claim of a passage whether its tokens are wrong, as in Batch."""
    supported = [c.tolist() for c, label in zip(claims, labels) if label == "supported"]
    for claim, label in zip(claims, labels):
        wrong = np.zeros(len(claim), np.int8) if label == "supported" else wrong_tokens(claim.tolist(), supported)
        yield np.full(len(claim), UNKNOWN, np.int8) if wrong is None else wrong


def groups(rows, tok):
    """Yields source, premise, parts, labels and marks as Batch wants them. Longer passages are left out: nobody has marked where in them
    the evidence is, so they cannot be cut."""
    by_passage = collections.defaultdict(list)
    for row in rows:
        by_passage[row["source"], row["premise"]].append(row)
    for (source, premise), some in by_passage.items():
        passage, = encode(tok, [premise], 10**6)
        if len(passage) <= MAX_PASSAGE + 2:
            claims, labels = encode_claims(tok, [r["hypothesis"] for r in some]), [r["label"] for r in some]
            wrong = list(marks(claims, labels))
            for group in groups_of(passage, claims):
                yield (source, premise, [passage, *(claims[k] for k in group)], [LABELS.index(labels[k]) for k in group],
                       [np.full(len(passage), UNKNOWN, np.int8), *(wrong[k] for k in group)])


def save(path, all_groups, written):
    sources = sorted({g[0] for g in all_groups})
    lengths = [len(p) for g in all_groups for p in g[2]]
    np.savez(path, sources=sources, tokens=np.concatenate([p for g in all_groups for p in g[2]]), lengths=np.array(lengths, np.uint16),
             wrong=np.concatenate([w for g in all_groups for w in g[4]]), labels=np.array([x for g in all_groups for x in [PASSAGE, *g[3]]], np.int8),
             source=np.array([sources.index(g[0]) for g in all_groups], np.int16),
             held_out=np.array([zlib.crc32(g[1].encode()) % 100 == 0 for g in all_groups]),
             claims=np.array([g[0] in written for g in all_groups]))


if __name__ == "__main__":
    data, out = sys.argv[1:]
    runs = evaluation_runs(data)
    report = collections.defaultdict(lambda: {"read": 0, "overlap": 0, "kept": 0, "claim_alone": []})
    families = collections.defaultdict(lambda: collections.defaultdict(list))
    seen = set()
    for row in load(data):
        key = row["premise"], row["hypothesis"]
        if key in seen:
            continue
        seen.add(key)
        report[row["source"]]["read"] += 1
        if shares_run(row["premise"], runs) or shares_run(row["hypothesis"], runs):
            report[row["source"]]["overlap"] += 1
        else:
            families[row["family"]][row["source"]].append(row)
    kept = []
    for family in families.values():
        rows = []
        for source, some in family.items():
            if not one_label(some):
                rows += capped(some, cap(source))
        if rows:
            kept += balanced(rows, report)
    all_groups = list(groups(kept, tokenizer(out + "/encoder")))
    for source, _, _, labels, _ in all_groups:
        report[source]["kept"] += len(labels)
    save(out + "/train.npz", all_groups, set(families["claims"]))
    with open(out + "/prepare.json", "w") as f:
        json.dump(report, f, indent=1)
    for source, counts in report.items():
        print(source, counts)
    print(len(all_groups), "groups", sum(len(g[3]) for g in all_groups), "claims")
