"""marks.py BINARY SET.jsonl...: how well the embedded judge marks what is wrong with the sentences that it rejects.

The rows of a set are pairs (pair) of a right and a wrong answer (label 1 and 0). Wrong are the words of the wrong answer that differ
from the right one, or stand beside what was left out. A rejected sentence counts if it has wrong words, and other words too.
"""
import collections
import difflib
import json
import re
import subprocess
import sys
import tempfile


def words(text):
    """(lower-case word, start, end)."""
    return [(m[0].lower(), m.start(), m.end()) for m in re.finditer(r"\w+", text)]


def wrong_words(right, wrong):
    result = set()
    for operation, _, _, start, end in difflib.SequenceMatcher(None, right, wrong, autojunk=False).get_opcodes():
        if operation == "delete":
            start, end = max(0, start - 1), min(len(wrong), start + 1)
        if operation != "equal":
            result |= set(range(start, end))
    return result


def measure(binary, path):
    pairs = collections.defaultdict(dict)
    with open(path, encoding="utf-8") as f:
        for row in map(json.loads, f):
            pairs[row["pair"]][int(row["label"])] = row
    pairs = [p for p in pairs.values() if len(p) == 2]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        for p in pairs:
            print(json.dumps({key: p[0][key] for key in ("question", "answer", "contexts")}), file=f, flush=True)
        command = [binary, "score", f.name, "--judge", "embedded", "--to", "jsonl", "-q", "--config", "none"]
        results = [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()]
    rejected = marked = hits = shown = right = 0
    chance = 0.0
    for p, result in zip(pairs, results):
        answer = words(p[0]["answer"])
        wrong = wrong_words([w for w, *_ in words(p[1]["answer"])], [w for w, *_ in answer])
        for claim in result["claims"]:
            inside = [k for k, (_, start, _) in enumerate(answer) if claim["start"] <= start < claim["end"]]
            bad = wrong.intersection(inside)
            if claim["verdict"] in ("supported", "unjudged") or "network" not in claim["reason"] or not 0 < len(bad) <= 0.6 * len(inside):
                continue
            rejected, chance = rejected + 1, chance + len(bad) / len(inside)
            at = p[0]["answer"].find(claim["text"], claim["start"])
            found = {k for k in inside for s in claim.get("unsupported") or () if answer[k][1] < at + s["end"] and answer[k][2] > at + s["start"]}
            marked, hits = marked + bool(found), hits + bool(found & bad)
            shown, right = shown + len(found), right + len(found & bad)
    print(f"{path}: {rejected} wrong sentences rejected, {marked} with marks, of which {hits} touch what is wrong; "
          f"{right} of {shown} marked words are wrong (by chance {chance / max(rejected, 1):.2f})")


if __name__ == "__main__":
    for path in sys.argv[2:]:
        measure(sys.argv[1], path)
