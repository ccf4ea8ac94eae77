"""Compares NAME.parquet, as read by pyarrow, pandas and DuckDB, with NAME.jsonl.

usage: parquet_check.py NAME...
"""

import json
import sys

import duckdb
import pandas
import pyarrow.parquet


def filled(value, schema):
    """Returns a JSON value with null for missing optional members."""
    if value is None:
        return None
    if schema.__class__.__name__ == "StructType":
        assert not set(value) - {f.name for f in schema}, (value, schema)
        return {f.name: filled(value.get(f.name), f.type) for f in schema}
    if schema.__class__.__name__ == "ListType":
        return [filled(v, schema.value_type) for v in value]
    return value


def plain(value):
    """Converts a pandas value to plain Python objects, with None for NaN."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return None if value is pandas.NA or value != value else value


def check(name):
    """Compares NAME.parquet with NAME.jsonl."""
    with open(name + ".jsonl", encoding="utf-8", newline="\n") as lines:
        rows = [json.loads(line) for line in lines]
    table = pyarrow.parquet.read_table(name + ".parquet")
    as_json = json.loads((table.schema.metadata or {}).get(b"ragfaith.json_columns", b"[]"))

    def compare(reader, got):
        assert len(got) == len(rows), (reader, len(got), len(rows))
        for row, other in zip(rows, got):
            assert not set(row) - set(other), (reader, set(row) - set(other))
            for field in table.schema:
                value, back = row.get(field.name), other[field.name]
                if field.name in as_json:
                    back = None if back is None else json.loads(back)
                else:
                    value = filled(value, field.type)
                assert value == back, (reader, row["index"], field.name, value, back)
                # Compare types too, since 1 == 1.0 == True.
                if reader == "pyarrow" and back is not None and str(field.type) != "double":
                    assert type(value) is type(back), (field, value, back)

    compare("pyarrow", table.to_pylist())
    frame = pandas.read_parquet(name + ".parquet", dtype_backend="pyarrow")
    compare("pandas", [{k: plain(v) for k, v in r.items()} for r in frame.to_dict("records")])
    scores = [r["faithfulness"] for r in rows if r["faithfulness"] is not None]
    described = pandas.read_parquet(name + ".parquet").faithfulness.describe()
    assert described["count"] == len(scores) and (not scores or abs(described["mean"] - sum(scores) / len(scores)) < 1e-12)
    relation = duckdb.sql(f"select * from read_parquet('{name}.parquet')")
    compare("duckdb", [dict(zip(relation.columns, r)) for r in relation.fetchall()])
    claims = f"(select unnest(claims, recursive := true) from read_parquet('{name}.parquet'))"
    [(supported,)] = duckdb.sql(f"select count(*) from {claims} where verdict = 'supported'").fetchall()
    assert supported == sum(c["verdict"] == "supported" for r in rows for c in r["claims"])
    print("same", len(rows))


for arg in sys.argv[1:]:
    check(arg)
