"""Converts rows.jsonl and examples.jsonl to CSV and Parquet, with pandas and DuckDB.

Run it in this directory. It needs pandas, pyarrow and duckdb.
"""

import json

import duckdb
import pandas as pd

for name in ("rows", "examples"):
    with open(f"{name}.jsonl", encoding="utf8") as f:
        frame = pd.DataFrame([json.loads(line) for line in f])
    frame.to_csv(f"{name}.csv", index=False)
    frame.to_parquet(f"{name}.parquet", engine="pyarrow", index=False)
duckdb.sql("COPY (SELECT * FROM read_json('rows.jsonl')) TO 'rows-duckdb.parquet' (FORMAT parquet, COMPRESSION zstd)")
