"""Rows whose answers say again what others say, to see what a semantic cache saves and lets through.

usage: paraphrase.py ROWS.jsonl OUT.jsonl [N]

Takes N (50) answers at a fixed stride and writes four rows of each, with the same question and contexts:
  ID-as-is    the answer
  ID-again    the same said in other words: synonyms, contractions, figures for numerals, a date moved to the end
  ID-loose    the same said more freely: clauses turned round, fillers, another verb phrase
  ID-changed  a number, a name or a negation changed in every sentence that has one: no verdict may be reused there
Rules and no model make them, so the rows are the same each time.
"""
import json
import re
import sys

SYNONYMS = [("began", "started"), ("begin", "start"), ("large", "big"), ("many", "numerous"), ("help", "assist"), ("helps", "assists"),
            ("important", "significant"), ("film", "movie"), ("nation", "country"), ("area", "region"), ("error", "mistake"), ("quick", "fast"),
            ("purchase", "buy"), ("attempt", "try"), ("rapidly", "quickly"), ("physician", "doctor"), ("usually", "typically"), ("city", "town"),
            ("shows", "demonstrates"), ("show", "demonstrate"), ("received", "got"), ("needs", "requires"), ("need", "require"), ("ended", "finished")]
SHORT = [("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"),
         ("cannot", "can't"), ("will not", "won't"), ("it is", "it's"), ("It is", "It's")]
FIGURES = "zero one two three four five six seven eight nine ten eleven twelve".split()
MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATED = re.compile(rf"^(In (?:{MONTH} )?\d{{4}}|On (?:\d{{1,2}} {MONTH}|{MONTH} \d{{1,2}})(?:,? \d{{4}})?),? (\w)(.*?)([.!?])$")


def swap(text, pairs):
    for a, b in pairs:
        text = re.sub(rf"\b{a}\b", b, text)
    return text


def again(s):
    m = DATED.match(s)
    if m:
        s = m[2].upper() + m[3] + " " + m[1][0].lower() + m[1][1:] + m[4]
    s = swap(s, SHORT)
    s = re.sub(r"(?<![-\w])(" + "|".join(FIGURES[2:]) + r")(?![-\w])", lambda m: str(FIGURES.index(m[1])), s)
    return swap(s, SYNONYMS)


def loose(s):
    m = re.match(r"^([^,]{12,}) (because|although|while|when) ([^,]{8,})([.!?])$", s)
    if m:
        return f"{m[2].capitalize()} {m[3]}, {m[1][0].lower() + m[1][1:]}{m[4]}"
    return again("As the passages say, " + s[0].lower() + s[1:] if s[:1].isupper() else s)


def changed(s):
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
            ss = sentences(r["answer"])
            kinds = {"as-is": ss, "again": [again(s) for s in ss], "loose": [loose(s) for s in ss],
                     "changed": [c for c in map(changed, ss) if c]}
            for kind, texts in kinds.items():
                row = {"id": f"{i}-{kind}", "question": r["question"], "answer": " ".join(texts) or "Nothing.", "contexts": r["contexts"]}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
