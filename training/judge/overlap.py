"""overlap.py DATA OUT: prove that no text of OUT/train.npz shares a run of 12 words with an evaluation text. Exits 1 if one does.

The check reads the token ids that training reads, so nothing between the filter and the network can bring a text back.
"""
import hashlib
import io
import json
import os
import re
import sys
import unicodedata

import numpy as np
import zstandard

RUN = 12
EVALUATION = ["suite-dev", "mtrag-human-dev", "claims-dev", "everyday-dev", "contrast-dev", "adversarial-dev"]


def read(data, name):
    """Rows of DATA/NAME.jsonl.zst, or of DATA/../behaviours/NAME.jsonl."""
    path = os.path.join(data, name + ".jsonl.zst")
    if os.path.exists(path):
        raw = zstandard.ZstdDecompressor().stream_reader(open(path, "rb"))
    else:
        raw = open(os.path.join(data, "..", "behaviours", name + ".jsonl"), "rb")
    with io.TextIOWrapper(raw, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def words(text):
    """Lower-case words without accents, as the tokenizer leaves them."""
    text = unicodedata.normalize("NFD", text.lower())
    return re.findall(r"[^\W_]+", "".join(c for c in text if unicodedata.category(c) != "Mn"))


hashes = {}


def run_hashes(text):
    """A 64-bit hash of each run of RUN words."""
    found = words(text)
    if len(found) < RUN:
        return np.zeros(0, np.uint64)
    for w in found:
        if w not in hashes:
            hashes[w] = int.from_bytes(hashlib.blake2b(w.encode(), digest_size=8).digest(), "little")
    h = np.array([hashes[w] for w in found], np.uint64)
    total = np.zeros(len(h) - RUN + 1, np.uint64)
    for k in range(RUN):
        total = total * np.uint64(0x9E3779B97F4A7C15) + h[k:len(h) - RUN + 1 + k]
    return total


def strings(value):
    """All strings inside a row, except those that name things."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)
    elif isinstance(value, dict):
        for k, v in value.items():
            if k not in ("id", "source", "meta", "suite", "label", "why"):
                yield from strings(v)


def evaluation_runs(data):
    return set(np.concatenate([run_hashes(s) for name in EVALUATION for row in read(data, name) for s in strings(row)]).tolist())


def shares_run(text, runs):
    return not runs.isdisjoint(run_hashes(text).tolist())


if __name__ == "__main__":
    from model import tokenizer

    data, out = sys.argv[1:]
    runs = evaluation_runs(data)
    cache, tok = np.load(out + "/train.npz"), tokenizer(out + "/encoder")
    ends = np.cumsum(cache["lengths"], dtype=np.int64)
    tokens, texts, shared = cache["tokens"].tolist(), 0, 0
    for start, end in zip([0, *ends], ends):
        text = tok.decode(tokens[start:end])
        texts += 1
        if shares_run(text, runs):
            shared += 1
            print("overlap:", text[:200])
    print(f"{texts} texts, {len(runs)} runs of {RUN} words in {len(EVALUATION)} evaluation sets, {shared} texts share one")
    sys.exit(shared > 0)
