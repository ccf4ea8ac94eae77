#!/usr/bin/env python3
"""Generates train.jsonl and held.jsonl from natural pairs and documents.

A line of train.jsonl is a window with its claims. A line of held.jsonl is a claim
with its context, from pairs that train.jsonl does not contain; fit.py uses it.
Evaluation rows are excluded, and the output is checked for them again.
"""

import argparse
import collections
import json
import random
import sys
import zlib
from pathlib import Path

from grounding import text
from grounding.edits import Edits, Lexicon
from grounding.exclude import Evaluation

SUPPORTED, NOT_MENTIONED, CONTRADICTED, NOT_SUPPORTED = range(4)
LABELS = {
    "supported": SUPPORTED,
    "entailment": SUPPORTED,
    "not_mentioned": NOT_MENTIONED,
    "neutral": NOT_MENTIONED,
    "contradicted": CONTRADICTED,
    "contradiction": CONTRADICTED,
    "not_supported": NOT_SUPPORTED,
    "not_entailment": NOT_SUPPORTED,
}

# Kinds whose claims cannot be understood without a question.
INCOMPLETE = {"yesno-template", "qa-span", "table-qa-span", "unanswerable-plausible-span"}
# Limits for sources that pair single sentences, which teach logic rather than grounding.
MAX_PAIRS = {"snli": 2000, "med": 400, "help": 400, "infotabs": 6000, "conjnli": 622}
LOGIC = {"snli", "med", "help", "conjnli", "e2e"}
# Sources with the same few claims for all passages, so that a claim of another passage may
# be supported.
FIXED_CLAIMS = {"contract-nli"}
# Sources with a non-commercial or unclear licence.
RESTRICTED = {"xnli", "sick", "lfqa-verification", "climate-fever", "healthver", "cliff-cnndm", "cliff-xsum"}


def is_held_out(premise):
    """Reports whether the pairs of a premise are held out for the fit."""
    return zlib.crc32(premise[:200].encode()) % 12 == 0


def pairs(data, evaluation, rng):
    """Yields natural pairs as (source, premise, claim, label), with claims of one sentence."""
    rows = []
    for r in text.read(data / "grounded-train.jsonl.zst"):
        if r["kind"] not in INCOMPLETE:
            rows.append((r["source"], r["premise"], r["hypothesis"].strip(), LABELS[r["label"]]))
    for r in text.read(data / "nli-train.jsonl.zst"):
        if r["lang"] == "en" and r["source"] not in RESTRICTED:
            rows.append((r["source"], r["premise"], r["hypothesis"].strip(), LABELS[r["label"]]))
    rng.shuffle(rows)
    count, dropped = collections.Counter(), collections.Counter()
    for source, premise, claim, label in rows:
        if count[source] >= MAX_PAIRS.get(source, 10**9):
            continue
        if evaluation.is_similar(premise) or evaluation.is_similar(claim):
            dropped[source] += 1
            continue
        count[source] += 1
        parts = [claim]
        if label == SUPPORTED and text.length(claim) > 40:
            parts = [s for s in text.sentences(claim) if len(s.split()) > 3] or parts
        for part in parts:
            yield source, premise, part, label
    print("dropped because of similar evaluation rows:", dict(dropped), file=sys.stderr)


class Builder:
    """Collects claims by window."""

    def __init__(self, edits, idf, rng):
        self.edits, self.idf, self.rng = edits, idf, rng
        self.groups = collections.defaultdict(list)

    def add(self, source, window, claim, label, kind, spans=None):
        if label == SUPPORTED:
            spans = []
        self.groups[source, window].append({"text": claim, "label": label, "spans": spans, "kind": kind})

    def window(self, premise, claim):
        """Returns a window for a claim: the premise, or its most relevant sentences if it is long."""
        budget = self.rng.choice((110, 150, 190, 230))
        if text.length(premise) <= 1.15 * budget:
            return premise
        return text.pack(premise, claim, self.idf, budget)

    def add_edits(self, source, window, claim, times):
        """Adds edits of a supported claim that remove its support, and rewordings that keep it."""
        forms = {claim}
        for _ in range(times):
            form = claim
            if self.rng.random() < 0.4 and (kept := self.edits.keep(claim, self.rng)):
                form = kept
            if change := self.edits.change(form, window, self.rng):
                if change.text not in forms:
                    self.add(source, window, change.text, LABELS[change.label], "edit-" + change.kind, change.spans)
                forms.add(change.text)
            if form not in forms and self.rng.random() < 0.5:
                self.add(source, window, form, SUPPORTED, "kept")
            forms.add(form)

    def add_withheld(self, source, premise, claim):
        """Adds the claim with its premise minus the sentences that support it."""
        parts = text.sentences(premise)
        if len(parts) < 3:
            return
        words = text.content(claim)
        stems = [set(text.content(s)) for s in parts]
        before = self.idf.coverage(words, set().union(*stems))
        order = sorted(range(len(parts)), key=lambda i: -self.idf.coverage(words, stems[i]))
        for n in (1, 2, 3):
            if n >= len(parts) - 1:
                return
            rest = set().union(*(stems[i] for i in order[n:]))
            after = self.idf.coverage(words, rest)
            if before - after > 0.25 and after < 0.8:
                kept = " ".join(parts[i] for i in sorted(order[n:]))
                self.add(source, self.window(kept, claim), claim, NOT_MENTIONED, "withheld")
                return

    def similar_claim(self, premise, own, claims):
        """Returns the claim of another premise, among a random sample, that shares most words with this premise."""
        stems = set(text.content(premise))
        best = (0.0, None)
        for other, claim, words in self.rng.sample(claims, min(60, len(claims))):
            share = self.idf.coverage(words, stems)
            if other != premise and claim not in own and best[0] < share < 0.85:
                best = (share, claim)
        return best[1]


def add_natural(builder, data, evaluation):
    """Adds natural pairs with their edits and generated negatives. Returns the held-out pairs."""
    rng = builder.rng
    by_source, held_out = collections.defaultdict(list), []
    for source, premise, claim, label in pairs(data, evaluation, rng):
        if is_held_out(premise):
            held_out.append((source, premise, claim, label))
        else:
            by_source[source].append((premise, claim, label))
    for source, rows in sorted(by_source.items()):
        claims = [(p, c, text.content(c)) for p, c, y in rows if y == SUPPORTED]
        claims = [c for c in claims if len(c[2]) > 2]
        # The same claim may occur with a shorter and a longer version of its passage.
        own = collections.defaultdict(set)
        for premise, claim, _ in rows:
            own[premise[:80]].add(claim)
        for premise, claim, label in rows:
            window = builder.window(premise, claim)
            builder.add(source, window, claim, label, source)
            if source in LOGIC:
                continue
            if label == SUPPORTED and len(claim.split()) > 4:
                builder.add_edits(source, window, claim, 2)
                if rng.random() < 0.6:
                    builder.add_withheld(source, premise, claim)
            if claims and source not in FIXED_CLAIMS and rng.random() < 0.6:
                if other := builder.similar_claim(window, own[premise[:80]] | {claim}, claims):
                    builder.add(source, window, other, NOT_MENTIONED, "similar")
    return held_out


def write_held_out(held_out, idf, path, seed):
    """Writes the held-out pairs with generated negatives, except single-sentence pairs.

    Without negatives, many sources would have only supported claims, and the fit would
    learn the sources.
    """
    builder = Builder(None, idf, random.Random(seed))
    by_source = collections.defaultdict(list)
    for source, premise, claim, label in held_out:
        if source not in LOGIC:
            by_source[source].append((premise, claim, label))
    for source, rows in sorted(by_source.items()):
        claims = [(p, c, text.content(c)) for p, c, y in rows if y == SUPPORTED]
        claims = [c for c in claims if len(c[2]) > 2]
        for premise, claim, label in rows:
            builder.add(source, premise, claim, label, "natural")
            if label == SUPPORTED and builder.rng.random() < 0.5:
                builder.add_withheld(source, premise, claim)
            if claims and source not in FIXED_CLAIMS and builder.rng.random() < 0.5:
                if other := builder.similar_claim(premise, {claim}, claims):
                    builder.add(source, premise, other, NOT_MENTIONED, "similar")
    with open(path, "w", encoding="utf8") as f:
        for (source, premise), claims in builder.groups.items():
            for c in claims:
                line = {"source": source, "kind": c["kind"], "label": c["label"], "claims": [c["text"]], "contexts": [premise]}
                f.write(json.dumps(line, ensure_ascii=False) + "\n")


def add_documents(builder, data, evaluation, limit):
    """Adds windows of documents with removed, edited and reworded sentences as claims."""
    rng = builder.rng
    docs = list(text.read(data / "docs.jsonl.zst"))
    rng.shuffle(docs)
    count = 0
    for d in docs:
        if count == limit:
            return
        if evaluation.is_similar(d["text"]):
            continue
        windows = text.windows(d["text"], rng.choice((120, 160, 200, 240)))
        parts = text.sentences(rng.choice(windows)) if windows else []
        usable = [i for i, s in enumerate(parts) if 7 <= len(s.split()) <= 45]
        if len(parts) < 3 or len(usable) < 2:
            continue
        removed = rng.choice(usable)
        window = " ".join(s for i, s in enumerate(parts) if i != removed)
        stems = set(text.content(window))
        source = "docs:" + d["domain"]
        unsupported = builder.idf.coverage(text.content(parts[removed]), stems) < 0.9
        remaining = rng.sample([parts[i] for i in usable if i != removed], k=min(2, len(usable) - 1))
        if unsupported:
            builder.add(source, window, parts[removed], NOT_MENTIONED, "removed")
            if rng.random() < 0.3:
                head = remaining[0].rstrip(". ")
                both = f"{head}, and {parts[removed][0].lower()}{parts[removed][1:]}"
                builder.add(source, window, both, NOT_MENTIONED, "joined", [[len(head) + 6, len(both)]])
        for s in remaining:
            kept = builder.edits.keep(s, rng)
            if kept:
                builder.add(source, window, kept, SUPPORTED, "kept")
            elif rng.random() < 0.3:
                builder.add(source, window, s, SUPPORTED, "verbatim")
        if rng.random() < 0.6 and (change := builder.edits.change(remaining[-1], window, rng)):
            builder.add(source, window, change.text, LABELS[change.label], "edit-" + change.kind, change.spans)
        count += 1


def write(builder, path, evaluation):
    """Writes groups of up to eight claims. Exits if a text is too similar to an evaluation row."""
    lines = []
    for (source, window), claims in builder.groups.items():
        builder.rng.shuffle(claims)
        for i in range(0, len(claims), 8):
            lines.append({"source": source, "window": window, "claims": claims[i : i + 8]})
        unedited = [c["text"] for c in claims if not c["kind"].startswith(("edit-", "kept", "joined"))]
        if any(map(evaluation.overlaps, [window, *unedited])):
            sys.exit(f"{source}: text of an evaluation row: {window[:80]}")
    builder.rng.shuffle(lines)
    with open(path, "w", encoding="utf8") as f:
        for line in lines:
            f.write(json.dumps(line, ensure_ascii=False) + "\n")
    count = collections.Counter(c["kind"].split("-")[0] if c["kind"].startswith("edit") else c["kind"] for g in lines for c in g["claims"])
    labels = collections.Counter(c["label"] for g in lines for c in g["claims"])
    tokens = sum(text.length(g["window"]) + sum(text.length(c["text"]) for c in g["claims"]) for g in lines)
    print(f"{len(lines)} windows, {sum(labels.values())} claims, about {tokens} tokens, labels {dict(labels)}, kinds {count.most_common()}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="directory with grounded-train, nli-train, docs, suite-dev and mtrag-human-dev .jsonl.zst")
    parser.add_argument("--lexicon", type=Path, required=True, help="directory of the lexicon's TSV files")
    parser.add_argument("--out", type=Path, required=True, help="directory for train.jsonl and held.jsonl")
    parser.add_argument("--documents", type=int, default=9000, help="number of windows from documents (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    evaluation = Evaluation(r for name in ("suite-dev", "mtrag-human-dev") for r in text.read(args.data / f"{name}.jsonl.zst"))
    idf = text.IDF.count(d["text"] for d in text.read(args.data / "docs.jsonl.zst"))
    builder = Builder(Edits(Lexicon(args.lexicon)), idf, rng)
    args.out.mkdir(parents=True, exist_ok=True)
    held_out = add_natural(builder, args.data, evaluation)
    add_documents(builder, args.data, evaluation, args.documents)
    write_held_out(held_out, idf, args.out / "held.jsonl", args.seed)
    write(builder, args.out / "train.jsonl", evaluation)


if __name__ == "__main__":
    main()
