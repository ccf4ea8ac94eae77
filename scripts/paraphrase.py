"""Generates rows with paraphrased answers, to measure the hits and errors of the semantic cache.

usage: paraphrase.py ROWS.jsonl OUT.jsonl [N]

Takes N (default 50) evenly spaced rows and writes four variants of each answer:
  ID-as-is    unchanged
  ID-again    with synonyms, contractions, digits for number words, and dates moved to the end
  ID-loose    with clauses swapped and introductions added
  ID-changed  with a number, name or negation changed in each sentence, so no verdict may be reused
The output is reproducible.
"""
import json
import re
import sys

SYNONYMS = [("began", "started"), ("begin", "start"), ("large", "big"), ("many", "numerous"), ("help", "assist"), ("helps", "assists"),
            ("important", "significant"), ("film", "movie"), ("nation", "country"), ("area", "region"), ("error", "mistake"), ("quick", "fast"),
            ("purchase", "buy"), ("attempt", "try"), ("rapidly", "quickly"), ("physician", "doctor"), ("usually", "typically"), ("city", "town"),
            ("shows", "demonstrates"), ("show", "demonstrate"), ("received", "got"), ("needs", "requires"), ("need", "require"), ("ended", "finished")]
CONTRACTIONS = [("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"),
         ("cannot", "can't"), ("will not", "won't"), ("it is", "it's"), ("It is", "It's")]
NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATED = re.compile(rf"^(In (?:{MONTH} )?\d{{4}}|On (?:\d{{1,2}} {MONTH}|{MONTH} \d{{1,2}})(?:,? \d{{4}})?),? (\w)(.*?)([.!?])$")


def replace_words(text, pairs):
    """Replaces words by other words."""
    for a, b in pairs:
        text = re.sub(rf"\b{a}\b", b, text)
    return text


def reword(s):
    """Returns a sentence with synonyms and other formats."""
    m = DATED.match(s)
    if m:
        s = m[2].upper() + m[3] + " " + m[1][0].lower() + m[1][1:] + m[4]
    s = replace_words(s, CONTRACTIONS)
    s = re.sub(r"(?<![-\w])(" + "|".join(NUMBER_WORDS[2:]) + r")(?![-\w])", lambda m: str(NUMBER_WORDS.index(m[1])), s)
    return replace_words(s, SYNONYMS)


def restructure(s):
    """Returns a sentence with its clauses swapped or with an introduction."""
    m = re.match(r"^([^,]{12,}) (because|although|while|when) ([^,]{8,})([.!?])$", s)
    if m:
        return f"{m[2].capitalize()} {m[3]}, {m[1][0].lower() + m[1][1:]}{m[4]}"
    return reword("As the passages say, " + s[0].lower() + s[1:] if s[:1].isupper() else s)


def change(s):
    """Returns a sentence with another meaning, or None if no rule applies."""
    if re.search(r"\d", s):
        return re.sub(r"\d+", lambda m: str(int(m[0]) + 1), s, count=1)
    m = re.search(r"\b(is|are|was|were|can|will|has|have|does|do|did)\b(?! not)", s)
    if m:
        return s[: m.end()] + " not" + s[m.end():]
    m = re.search(r"(?<=[a-z,] )[A-Z][a-z]{3,}", s)
    return s[: m.start()] + "Zanzibar" + s[m.end():] if m else None


def sentences(text):
    return [s for s in re.split(r"(?<=[.!?])\s+|\n+", text.strip()) if s]


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for i in range(n):
            r = rows[i * len(rows) // n]
            parts = sentences(r["answer"])
            variants = {"as-is": parts, "again": [reword(s) for s in parts], "loose": [restructure(s) for s in parts],
                     "changed": [c for c in map(change, parts) if c]}
            for kind, texts in variants.items():
                row = {"id": f"{i}-{kind}", "question": r["question"], "answer": " ".join(texts) or "Nothing.", "contexts": r["contexts"]}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
