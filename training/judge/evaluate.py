"""evaluate.py DATA OUT [FILE] [--rows SET.jsonl...]: evaluate OUT/state.pt, or a file of export.py, and print the figures as JSON.
With --rows only those of sets of rows with labels.

Scores are log odds of "supported". The row sets are judged as the program judges: an answer is split into sentences, each is
compared with the parts of the contexts that share most words with it, and the lowest sentence is the score of the row.
"""
import argparse
import collections
import json
import re
import time

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from model import LABELS, Batch, Judge, batches_of, encode, encode_claims, groups_of, load_average, support, tokenizer
from overlap import read, words

WINDOW, BLOCK = 190, 60  # tokens that a claim is compared with; tokens of one part of it
SHORT = 5  # an answer of fewer words is judged after its question
CONTROLS = 600  # claims in the controls
PER_SOURCE = 40  # held-out claims of a source


@torch.no_grad()
def scores(net, passages, device, tokens=4096):
    """The log odds of the claims of each passage. A passage is a list: its tokens, then those of its claims."""
    groups = [(n, k) for n, (passage, *claims) in enumerate(passages) for k in groups_of(passage, claims)]
    parts = [[passages[n][0], *(passages[n][1 + c] for c in k)] for n, k in groups]
    result = [np.zeros(len(p) - 1) for p in passages]
    for batch in batches_of([sum(map(len, p)) for p in parts], tokens):
        found = support(net(Batch([(parts[g],) for g in batch], device))[0]).cpu().numpy()
        for n, k in (groups[g] for g in batch):
            result[n][k], found = found[:len(k)], found[len(k):]
    return result


def score_pairs(net, tok, pairs, device):
    """The log odds of each (passage, claim)."""
    by_passage = collections.defaultdict(list)
    for k, (passage, _) in enumerate(pairs):
        by_passage[passage].append(k)
    passages = encode(tok, list(by_passage), WINDOW)
    claims = encode_claims(tok, [claim for _, claim in pairs])
    found = scores(net, [[p] + [claims[k] for k in ks] for p, ks in zip(passages, by_passage.values())], device)
    result = np.zeros(len(pairs))
    for ks, some in zip(by_passage.values(), found):
        result[ks] = some
    return result


def auroc(right, odds):
    return round(float(roc_auc_score(right, odds)), 4) if len(set(right)) == 2 else None


def figures(right, odds, key=None):
    """AUROC, balanced accuracy at even odds, and the share of pairs in order: rows with one key of which one is right and one is not."""
    right, odds = np.array(right, bool), np.array(odds)
    result = {"n": len(right), "auroc": auroc(right, odds)}
    result["balanced"] = round(float(((odds[right] >= 0).mean() + (odds[~right] < 0).mean()) / 2), 4)
    if key:
        groups = collections.defaultdict(lambda: ([], []))
        for k, y, s in zip(key, right, odds):
            groups[k][int(y)].append(s)
        order = [(a > b) + (a == b) / 2 for wrong, good in groups.values() for a in good for b in wrong]
        result |= {"pairs": len(order), "in_order": round(float(np.mean(order)), 4)}
    return result


def claims(net, tok, data, device):
    """Written claims with their passages."""
    rows = list(read(data, "claims-dev"))
    y = np.array([r["label"] == "supported" for r in rows])
    clear = np.array([r["label"] != "not_mentioned" for r in rows])
    odds = score_pairs(net, tok, [(r["premise"], r["hypothesis"]) for r in rows], device)
    kinds = collections.defaultdict(list)
    for r, right in zip(rows, (odds >= 0) == y):
        kinds[r["kind"]].append(right)
    return {"all": auroc(y, odds), "contradicted": auroc(y[clear], odds[clear]),
            "right_by_kind": {k: round(float(np.mean(v)), 2) for k, v in sorted(kinds.items()) if len(v) >= 20}}


def controls(net, tok, data, device):
    """AUROC of what should not suffice, on part of the written claims: the claim alone, another passage of the same source,
    shared words."""
    rows = list(read(data, "claims-dev"))[:CONTROLS]
    y = [r["label"] == "supported" for r in rows]
    passages = list(dict.fromkeys(r["premise"] for r in rows))
    next_one = dict(zip(passages, passages[1:] + passages[:1]))
    shared = [len(set(words(r["hypothesis"])) & set(words(r["premise"]))) / len(set(words(r["hypothesis"]))) for r in rows]
    return {"n": len(rows), "alone": auroc(y, score_pairs(net, tok, [("", r["hypothesis"]) for r in rows], device)),
            "other_passage": auroc(y, score_pairs(net, tok, [(next_one[r["premise"]], r["hypothesis"]) for r in rows], device)),
            "word_overlap": auroc(y, shared)}


def blocks(context, tok):
    """(tokens, text) of consecutive sentences of at most BLOCK tokens."""
    result = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", context):
        n = len(tok.encode(sentence, add_special_tokens=False).ids)
        if result and result[-1][0] + n <= BLOCK:
            result[-1] = result[-1][0] + n, result[-1][1] + " " + sentence
        elif n:
            result.append((n, sentence))
    return result


def window(parts, claim):
    """The three blocks that share most words with the claim, in their order, up to WINDOW tokens."""
    wanted = set(words(claim))
    best = sorted(range(len(parts)), key=lambda k: -len(wanted & set(words(parts[k][1]))))[:3]
    chosen, used = [], 0
    for k in best:
        if not chosen or used + parts[k][0] <= WINDOW:
            chosen.append(k)
            used += parts[k][0]
    return " ".join(parts[k][1] for k in sorted(chosen))


def score_rows(net, tok, rows, device):
    """The lowest log odds of the sentences of each answer: the mean for the sentence alone and after the question and what was said."""
    pairs, owner, cut = [], [], {}
    for k, row in enumerate(rows):
        key = tuple(row["contexts"])
        if key not in cut:
            cut[key] = [b for c in key for b in blocks(c, tok)]
        said = row["question"] or ""
        for sentence in filter(words, re.split(r"(?<=[.!?])\s+|\n+", row["answer"])):
            said += " " + sentence
            text = sentence if len(words(sentence)) >= SHORT else said
            passage = window(cut[key], text)
            pairs += [(passage, text), (passage, said)]
            owner.append(k)
    result = np.full(len(rows), np.inf)
    np.minimum.at(result, owner, score_pairs(net, tok, pairs, device).reshape(-1, 2).mean(1))
    return np.where(np.isinf(result), 0, result)


def everyday(net, tok, data, device):
    rows = list(read(data, "everyday-dev"))
    return figures([r["label"] for r in rows], score_rows(net, tok, rows, device), [r["pair"] for r in rows])


def contrast(net, tok, data, device):
    """English passages with an odd number, to choose by, and with an even number, to report."""
    rows = [case | {"contexts": p["contexts"], "passage": p["id"]} for p in read(data, "contrast-dev") if p["lang"] == "en" for case in p["cases"]]
    odds = score_rows(net, tok, rows, device)
    result = {}
    for name, remainder in (("odd", 1), ("even", 0)):
        at = [k for k, r in enumerate(rows) if int(re.findall(r"\d+", r["passage"])[-1]) % 2 == remainder]
        keys = [(rows[k]["passage"], rows[k]["question"]) for k in at]
        result[name] = figures([rows[k]["expect"] == "supported" for k in at], odds[at], keys)
    return result


def sources(net, groups, device):
    """AUROC on held-out passages of each training source."""
    chosen, labels, source, count = [], [], [], collections.Counter()
    for k in groups.held_out:
        if count[groups.source[k]] < PER_SOURCE:
            parts, some, _ = groups[k]
            count[groups.source[k]] += len(some)
            chosen.append(parts)
            labels += some
            source += [groups.source[k]] * len(some)
    odds = np.concatenate(scores(net, chosen, device))
    y, source = np.array(labels) == LABELS.index("supported"), np.array(source)
    return {groups.sources[s]: auroc(y[source == s], odds[source == s]) for s in sorted(count)}


def everything(net, tok, data, groups, device="cpu", seconds=1e9):
    """All figures, as a flat record. What does not fit into the time is left out."""
    start, result = time.time(), {}
    net.eval()
    for name, part in (("everyday", everyday), ("claims", claims), ("contrast", contrast), ("controls", controls)):
        if time.time() - start < seconds:
            result[name] = part(net, tok, data, device)
    if time.time() - start < seconds:
        result["sources"] = sources(net, groups, device)
    result["evaluation_seconds"] = round(time.time() - start)
    return result


if __name__ == "__main__":
    import export
    from train import Groups

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--rows", nargs="+", default=[])
    parser.add_argument("--init", help="that of the run")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    net, tok = Judge(torch.load(args.out + "/encoder/base.pt")), tokenizer(args.out + "/encoder")
    if args.file or args.init:
        export.load(net, args.file or args.init)
    if not args.file:
        load_average(net, args.out)
    for path in args.rows:
        with open(path) as f:
            rows = [json.loads(line) for line in f]
        print(path, json.dumps(figures([r["label"] for r in rows], score_rows(net.eval(), tok, rows, "cpu"))), flush=True)
    if not args.rows:
        print(json.dumps(everything(net, tok, args.data, Groups(args.out + "/train.npz"))))
