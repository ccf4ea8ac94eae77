"""Writes the example files of this directory: four rows as several libraries write them.

Run it in this directory. It needs pyarrow, pandas and duckdb.
"""

import gzip
import json

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [
    {"id": "einstein", "question": "When was Einstein born?", "answer": "On 14 March 1879.",
     "contexts": ["Albert Einstein (born 14 March 1879)", "He said: \"it's relative\"\nand left."], "label": 1.0},
    {"id": "umlaut", "question": "Wo?", "answer": "In Österreich 🏔.",
     "contexts": ["Österreich – 'Alpen', \"Wien\"", "back\\slash\ttab", "日本語"], "label": 0.5},
    {"id": "one", "question": "", "answer": "", "contexts": ["only one"], "label": None},
    {"id": "comma", "question": "a,b", "answer": "[1] As \"said\", so.", "contexts": ["[1] According to", "x"], "label": 0.0},
]

table = pa.table({
    "id": [r["id"] for r in ROWS],
    "question": [r["question"] for r in ROWS],
    "answer": [r["answer"] for r in ROWS],
    "contexts": [r["contexts"] for r in ROWS],
    "label": pa.array([r["label"] for r in ROWS], pa.float64()),
})

with open("rows.jsonl", "w", encoding="utf-8") as f:
    for r in ROWS:
        f.write(json.dumps(r, ensure_ascii=False) + "\n")
with open("rows.json", "w", encoding="utf-8") as f:
    json.dump(ROWS, f, indent=2)

for codec in ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]:
    pq.write_table(table, f"pyarrow_{codec}.parquet", compression=codec)
pq.write_table(table, "pyarrow_item.parquet", use_compliant_nested_type=False)
pq.write_table(table, "pyarrow_v2.parquet", data_page_version="2.0", row_group_size=2, data_page_size=1)
pq.write_table(table, "pyarrow_plain.parquet", use_dictionary=False, row_group_size=3, version="1.0")
with pq.ParquetWriter("pyarrow_empty_group.parquet", table.schema) as w:
    w.write_table(table.slice(0, 0))
    w.write_table(table)
large = pa.schema([
    ("id", pa.large_string()), ("question", pa.large_string()), ("answer", pa.large_string()),
    ("contexts", pa.large_list(pa.large_string())), ("label", pa.float64())])
pq.write_table(table.cast(large), "pyarrow_large.parquet")
coded = table.set_column(2, "answer", table["answer"].dictionary_encode())
pq.write_table(coded, "pyarrow_dictionary.parquet")
pq.write_table(pa.table({**{c: table[c] for c in ["id", "question", "answer", "label"]},
    "contexts": [[{"page_content": c, "metadata": {"n": 1}} for c in r["contexts"]] for r in ROWS]}),
    "pyarrow_documents.parquet")
pq.write_table(pa.table({**{c: table[c] for c in ["id", "question", "answer", "label"]},
    "contexts": [{"title": [["t"]], "sentences": [[c] for c in r["contexts"]]} for r in ROWS]}),
    "pyarrow_sentences.parquet")
pq.write_table(pa.table({**{c: table[c] for c in ["id", "question", "answer", "label"]},
    "contexts": pa.array([[("text", c) for c in r["contexts"][:1]] for r in ROWS], pa.map_(pa.string(), pa.string()))}),
    "pyarrow_map.parquet")

frame = pd.DataFrame(ROWS)
frame.to_parquet("pandas.parquet")
frame.to_csv("pandas.csv", index=False)
frame.to_csv("pandas.tsv", index=False, sep="\t")
frame.to_csv("pandas_index.csv")
frame.to_csv("pandas_utf16.csv", index=False, encoding="utf-16")
frame.to_json("pandas.jsonl", orient="records", lines=True)
frame.to_json("pandas.json", orient="records")
arrays = frame.copy()
arrays["contexts"] = pd.read_parquet("pandas.parquet")["contexts"]  # NumPy arrays, written as text
arrays.to_csv("pandas_arrays.csv", index=False)
documents = frame.copy()
documents["contexts"] = [[{"page_content": c, "metadata": {"n": 1, "x": None}} for c in r["contexts"]] for r in ROWS]
documents.to_csv("pandas_documents.csv", index=False)

db = duckdb.connect()
db.register("rows", table)
db.execute("copy (select * from rows) to 'duckdb.parquet' (format parquet)")
db.execute("copy (select * from rows) to 'duckdb.jsonl' (format json)")
db.execute("copy (select * from rows) to 'duckdb.json' (format json, array true)")

kinds = pa.table({
    "answer": ["a", "b"], "contexts": [["x"], ["y"]],
    "ts": pa.array([0, 1_700_000_000_123_456], pa.timestamp("us", "UTC")),
    "local": pa.array([0, None], pa.timestamp("ms")),
    "day": pa.array([0, -1], pa.date32()),
    "dec": pa.array(["1.50", "-0.05"]).cast(pa.decimal128(10, 2)),
    "raw": pa.array([b"\xff\xfe", b"ok"], pa.binary()),
    "num": pa.array([float("nan"), 1.5]),
    "u64": pa.array([2**64 - 1, 1], pa.uint64()),
    "u32": pa.array([2**32 - 1, 1], pa.uint32()),
    "yes": [True, None],
    "nest": [{"a": [1, None], "b": {"c": "d"}}, None],
    "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
    "nil": pa.nulls(2),
})
pq.write_table(kinds, "kinds.parquet")
pq.write_table(kinds.select(["answer", "contexts", "ts"]), "int96.parquet", use_deprecated_int96_timestamps=True)

with gzip.GzipFile("members.jsonl.gz", "wb", mtime=0) as f:
    f.write((json.dumps(ROWS[0]) + "\n").encode())
with open("members.jsonl.gz", "ab") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as f:
    for r in ROWS[1:]:
        f.write((json.dumps(r) + "\n").encode())
