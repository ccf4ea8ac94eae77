#!/usr/bin/env python3
"""Makes train.jsonl and held.jsonl from the natural pairs and the documents.

A line of train.jsonl is a window with its claims; one of held.jsonl is a pair
of natural text that no window of train.jsonl has, for the fit of the verdict.
No text of the evaluation rows is let in, and the result is checked for that.
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

# Kinds whose claim says nothing without its question, or is a bare answer.
WITHOUT_MEANING = {"yesno-template", "qa-span", "table-qa-span", "unanswerable-plausible-span"}
# One short sentence against another teaches logic, not grounding: a little of it.
MOST = {"snli": 2000, "med": 400, "help": 400, "infotabs": 6000, "conjnli": 622}
LOGIC = {"snli", "med", "help", "conjnli", "e2e"}
# The same few claims are held against every passage: those of another may hold here too.
FIXED = {"contract-nli"}
# Licences that are not commercial, or not clear.
NOT_OPEN = {"xnli", "sick", "lfqa-verification", "climate-fever", "healthver", "cliff-cnndm", "cliff-xsum"}


def held(premise):
    return zlib.crc32(premise[:200].encode()) % 12 == 0


def pairs(data, evaluation, rng):
    """Natural pairs as (source, premise, claim, label), claims of one sentence each."""
    rows = []
    for r in text.read(data / "grounded-train.jsonl.zst"):
        if r["kind"] not in WITHOUT_MEANING:
            rows.append((r["source"], r["premise"], r["hypothesis"].strip(), LABELS[r["label"]]))
    for r in text.read(data / "nli-train.jsonl.zst"):
        if r["lang"] == "en" and r["source"] not in NOT_OPEN:
            rows.append((r["source"], r["premise"], r["hypothesis"].strip(), LABELS[r["label"]]))
    rng.shuffle(rows)
    count, dropped = collections.Counter(), collections.Counter()
    for source, premise, claim, label in rows:
        if count[source] >= MOST.get(source, 10**9):
            continue
        if evaluation.near(premise) or evaluation.near(claim):
            dropped[source] += 1
            continue
        count[source] += 1
        parts = [claim]
        if label == SUPPORTED and text.length(claim) > 40:
            parts = [s for s in text.sentences(claim) if len(s.split()) > 3] or parts
        for part in parts:
            yield source, premise, part, label
    print("near the evaluation rows, dropped:", dict(dropped), file=sys.stderr)


class Mix:
    """Groups of claims by window."""

    def __init__(self, edits, rarity, rng):
        self.edits, self.rarity, self.rng = edits, rarity, rng
        self.groups = collections.defaultdict(list)

    def add(self, source, window, claim, label, kind, spans=None):
        if label == SUPPORTED:
            spans = []
        self.groups[source, window].append({"text": claim, "label": label, "spans": spans, "kind": kind})

    def window(self, premise, claim):
        """The part of a premise that a claim is held against: all of it where it is short."""
        budget = self.rng.choice((110, 150, 190, 230))
        if text.length(premise) <= 1.15 * budget:
            return premise
        return text.pack(premise, claim, self.rarity, budget)

    def edited(self, source, window, claim, times):
        """A claim that holds, changed in several ways so that it does not, and sometimes put in other words first."""
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

    def bereft(self, source, premise, claim):
        """The claim against its premise without the sentences that carry it."""
        parts = text.sentences(premise)
        if len(parts) < 3:
            return
        words = text.content(claim)
        have = [set(text.content(s)) for s in parts]
        before = self.rarity.coverage(words, set().union(*have))
        by = sorted(range(len(parts)), key=lambda i: -self.rarity.coverage(words, have[i]))
        for n in (1, 2, 3):
            if n >= len(parts) - 1:
                return
            rest = set().union(*(have[i] for i in by[n:]))
            after = self.rarity.coverage(words, rest)
            if before - after > 0.25 and after < 0.8:
                kept = " ".join(parts[i] for i in sorted(by[n:]))
                self.add(source, self.window(kept, claim), claim, NOT_MENTIONED, "bereft")
                return

    def likest(self, premise, own, claims):
        """The claim of another premise, of some drawn, that has most words of this one; none of its own."""
        have = set(text.content(premise))
        best = (0.0, None)
        for other, claim, words in self.rng.sample(claims, min(60, len(claims))):
            share = self.rarity.coverage(words, have)
            if other != premise and claim not in own and best[0] < share < 0.85:
                best = (share, claim)
        return best[1]


def natural(mix, data, evaluation):
    """Adds the natural pairs, and the negatives made of them without an edit; returns the pairs held back."""
    rng = mix.rng
    by_source, back = collections.defaultdict(list), []
    for source, premise, claim, label in pairs(data, evaluation, rng):
        if held(premise):
            back.append((source, premise, claim, label))
        else:
            by_source[source].append((premise, claim, label))
    for source, rows in sorted(by_source.items()):
        claims = [(p, c, text.content(c)) for p, c, y in rows if y == SUPPORTED]
        claims = [c for c in claims if len(c[2]) > 2]
        # A claim may stand there with two passages, one longer than the other: its
        # twins are its own everywhere.
        own = collections.defaultdict(set)
        for premise, claim, _ in rows:
            own[premise[:80]].add(claim)
        for premise, claim, label in rows:
            window = mix.window(premise, claim)
            mix.add(source, window, claim, label, source)
            if source in LOGIC:
                continue
            if label == SUPPORTED and len(claim.split()) > 4:
                mix.edited(source, window, claim, 2)
                if rng.random() < 0.6:
                    mix.bereft(source, premise, claim)
            if claims and source not in FIXED and rng.random() < 0.6 and (other := mix.likest(window, own[premise[:80]] | {claim}, claims)):
                mix.add(source, window, other, NOT_MENTIONED, "likest")
    return back


def hold(back, rarity, path, seed):
    """Writes the pairs held back, with negatives made as for training; what teaches logic alone is left out.

    Many sources have no unsupported claims of their own, and a fit on rows whose
    label their source tells would learn the sources.
    """
    mix = Mix(None, rarity, random.Random(seed))
    by_source = collections.defaultdict(list)
    for source, premise, claim, label in back:
        if source not in LOGIC:
            by_source[source].append((premise, claim, label))
    for source, rows in sorted(by_source.items()):
        claims = [(p, c, text.content(c)) for p, c, y in rows if y == SUPPORTED]
        claims = [c for c in claims if len(c[2]) > 2]
        for premise, claim, label in rows:
            mix.add(source, premise, claim, label, "natural")
            if label == SUPPORTED and mix.rng.random() < 0.5:
                mix.bereft(source, premise, claim)
            if claims and source not in FIXED and mix.rng.random() < 0.5 and (other := mix.likest(premise, {claim}, claims)):
                mix.add(source, premise, other, NOT_MENTIONED, "likest")
    with open(path, "w", encoding="utf8") as f:
        for (source, premise), claims in mix.groups.items():
            for c in claims:
                line = {"source": source, "kind": c["kind"], "label": c["label"], "claims": [c["text"]], "contexts": [premise]}
                f.write(json.dumps(line, ensure_ascii=False) + "\n")


def documents(mix, data, evaluation, most):
    """Adds windows of documents: sentences taken out of them, edited, and put in other words."""
    rng = mix.rng
    docs = list(text.read(data / "docs.jsonl.zst"))
    rng.shuffle(docs)
    done = 0
    for d in docs:
        if done == most:
            return
        if evaluation.near(d["text"]):
            continue
        runs = text.windows(d["text"], rng.choice((120, 160, 200, 240)))
        parts = text.sentences(rng.choice(runs)) if runs else []
        usable = [i for i, s in enumerate(parts) if 7 <= len(s.split()) <= 45]
        if len(parts) < 3 or len(usable) < 2:
            continue
        gone = rng.choice(usable)
        window = " ".join(s for i, s in enumerate(parts) if i != gone)
        have = set(text.content(window))
        source = "docs:" + d["domain"]
        taken = mix.rarity.coverage(text.content(parts[gone]), have) < 0.9
        stays = rng.sample([parts[i] for i in usable if i != gone], k=min(2, len(usable) - 1))
        if taken:
            mix.add(source, window, parts[gone], NOT_MENTIONED, "removed")
            if rng.random() < 0.3:
                head = stays[0].rstrip(". ")
                both = f"{head}, and {parts[gone][0].lower()}{parts[gone][1:]}"
                mix.add(source, window, both, NOT_MENTIONED, "joined", [[len(head) + 6, len(both)]])
        for s in stays:
            kept = mix.edits.keep(s, rng)
            if kept:
                mix.add(source, window, kept, SUPPORTED, "kept")
            elif rng.random() < 0.3:
                mix.add(source, window, s, SUPPORTED, "verbatim")
        if rng.random() < 0.6 and (change := mix.edits.change(stays[-1], window, rng)):
            mix.add(source, window, change.text, LABELS[change.label], "edit-" + change.kind, change.spans)
        done += 1


def write(mix, path, evaluation):
    """Writes groups of at most eight claims, and fails where one shares a run with the evaluation rows."""
    lines = []
    for (source, window), claims in mix.groups.items():
        mix.rng.shuffle(claims)
        for i in range(0, len(claims), 8):
            lines.append({"source": source, "window": window, "claims": claims[i : i + 8]})
        if evaluation.shares(window) or any(evaluation.shares(c["text"]) for c in claims if not c["kind"].startswith(("edit-", "kept", "joined"))):
            sys.exit(f"a text of {source} is one of the evaluation rows': {window[:80]}")
    mix.rng.shuffle(lines)
    with open(path, "w", encoding="utf8") as f:
        for line in lines:
            f.write(json.dumps(line, ensure_ascii=False) + "\n")
    count = collections.Counter(c["kind"].split("-")[0] if c["kind"].startswith("edit") else c["kind"] for g in lines for c in g["claims"])
    labels = collections.Counter(c["label"] for g in lines for c in g["claims"])
    tokens = sum(text.length(g["window"]) + sum(text.length(c["text"]) for c in g["claims"]) for g in lines)
    print(f"{len(lines)} windows, {sum(labels.values())} claims, about {tokens} tokens, labels {dict(labels)}, kinds {count.most_common()}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of grounded-train, nli-train, docs, suite-dev and mtrag-human-dev .jsonl.zst")
    parser.add_argument("--lexicon", type=Path, required=True, help="folder of the lexicon's TSV files")
    parser.add_argument("--out", type=Path, required=True, help="folder for train.jsonl and held.jsonl")
    parser.add_argument("--documents", type=int, default=9000, help="windows of documents (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    evaluation = Evaluation(r for name in ("suite-dev", "mtrag-human-dev") for r in text.read(args.data / f"{name}.jsonl.zst"))
    rarity = text.Rarity.count(d["text"] for d in text.read(args.data / "docs.jsonl.zst"))
    mix = Mix(Edits(Lexicon(args.lexicon)), rarity, rng)
    args.out.mkdir(parents=True, exist_ok=True)
    back = natural(mix, args.data, evaluation)
    documents(mix, args.data, evaluation, args.documents)
    hold(back, rarity, args.out / "held.jsonl", args.seed)
    write(mix, args.out / "train.jsonl", evaluation)


if __name__ == "__main__":
    main()
