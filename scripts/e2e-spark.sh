#!/usr/bin/env bash
# Scores rows with examples/spark on a local Spark and compares the results with those
# of a single process: identical bytes from JSONL, identical rows in any order from
# Parquet, and an identical summary. Then checks that errors in a partition are reported.
#
#   scripts/e2e-spark.sh RAGFAITH
#
# SPARK_MASTER  Spark master (default local[2])
# SPARK_DIR     cache of PySpark from PyPI, 430 MB (default in the user's cache directory)
#
# It needs Java 17 or later, such as openjdk-17-jre-headless.
set -euo pipefail

ragfaith=$(realpath "$1") example=$PWD/examples/spark master=${SPARK_MASTER:-local[2]}
command -v java >/dev/null || { echo 'Java not found: apt-get install openjdk-17-jre-headless' >&2; exit 1; }
dir=${SPARK_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/test-libraries/spark-$(sha256sum <"$example/requirements.txt" | cut -c1-12)}
if [ ! -f "$dir/complete" ]; then
	rm -rf "$dir"
	python3 -m venv "$dir"
	"$dir/bin/python" -m pip install --quiet --disable-pip-version-check -r "$example/requirements.txt"
	touch "$dir/complete"
fi
python=$dir/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYSPARK_PYTHON=$python PYTHONDONTWRITEBYTECODE=1 SPARK_LOCAL_IP=127.0.0.1 RAGFAITH=$ragfaith

echo '== unit tests without Spark'
"$python" -m unittest discover -s "$example"

# 481 rows in 5 files, one of which is empty; one row is invalid.
"$python" - testdata/rows.jsonl "$work/rows" <<'ROWS'
import json, os, sys

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
os.mkdir(sys.argv[2])
for n in range(5):
    with open(f"{sys.argv[2]}/part-{n}.jsonl", "w", encoding="utf-8") as f:
        for i, row in enumerate(rows * 2 if n != 3 else rows[:0]):
            f.write(json.dumps({**row, "id": f"{n}-{i}"}, ensure_ascii=False) + "\n")
        if n == 1:
            f.write('{"id":"broken","answer":"It is so.","contexts":7}\n')
ROWS
cat "$work"/rows/*.jsonl >"$work/rows.jsonl"

spark() {
	"$dir/bin/spark-submit" --master "$master" --files "$ragfaith" --conf spark.ui.enabled=false \
		--conf spark.driver.memory=1g --conf spark.sql.shuffle.partitions=2 "$example/score_rows.py" "$@" 2>"$work/spark.log"
}
show_log() { tail -n 60 "$work/spark.log" >&2; exit 1; }
# report MERGED DIR merges the results of all partitions, as described in examples/spark.
report() {
	# shellcheck disable=SC2046 # names without spaces
	"$ragfaith" report --append --max-failed 1 --to none -q -o "$1.jsonl" --summary "$1.summary.json" \
		$(find "$2" -name 'part-*' -size +0 | sort)
}
# compare ONE MERGED compares the results by id, and all figures of the summary.
compare() {
	"$python" - "$@" <<'SAME'
import json, sys

def results(path):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    by_id = {r.pop("id"): r for r in rows}
    assert len(by_id) == len(rows), f"{path}: duplicate id"
    for r in by_id.values():
        del r["index"]
        if r["error"]:  # drop the line number, which is relative to the partition
            r["error"] = r["error"].split(": ", 1)[1]
    return by_id

def figures(path):
    summary = json.load(open(path, encoding="utf-8"))
    return {k: v for k, v in summary.items() if k not in ("datasets", "settings", "results")}

one, merged = (results(path + ".jsonl") for path in sys.argv[1:])
assert one.keys() == merged.keys(), one.keys() ^ merged.keys()
for key, row in one.items():
    assert row == merged[key], (key, row, merged[key])
a, b = (figures(path + ".summary.json") for path in sys.argv[1:])
assert a == b, (a, b)
m = a["means"]["rows"]
print(f"{len(one)} identical rows and an identical summary: mean {m['estimate']}, {m['lower']} to {m['upper']}")
SAME
}

echo '== JSONL, at least 7 partitions'
cd "$work"
"$ragfaith" score rows.jsonl --judge lexical --keep label --to none -q --max-failed 1 -o one.jsonl --summary one.summary.json
spark 'rows/*.jsonl' out --partitions 7 --kept 'label INT' --parquet out.parquet -- --judge lexical --keep label || show_log
echo "$(find out -name 'part-*' | wc -l) partitions, $(find out -name 'part-*' -size +0 | wc -l) of them with rows"
report merged out
compare one merged
# The line number of the invalid row differs.
for file in one merged; do sed -E 's/(rows\.jsonl|standard input):[0-9]+: contexts/contexts/' "$file.jsonl" >"$file.bytes"; done
cmp one.bytes merged.bytes
echo 'identical bytes'

echo '== Parquet in another order, and results as a DataFrame'
grep -v '"id":"broken"' rows.jsonl >whole.jsonl
"$python" - out.parquet one.jsonl <<'TABLE' 2>>"$work/spark.log" || show_log
import json, sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
table = {r["id"]: r.asDict(recursive=True) for r in spark.read.parquet(sys.argv[1]).collect()}
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
assert len(table) == len(rows)
for row in rows:
    got = table[row["id"]]
    for key in ("question", "answer", "contexts", "faithfulness", "support", "status", "reason", "label", "usage"):
        assert got[key] == row.get(key), (row["id"], key, got[key], row.get(key))
    for theirs, ours in zip(got["claims"], row["claims"], strict=True):
        for key, value in theirs.items():
            assert value == ours[key], (row["id"], key, value, ours[key])
print(f"{len(table)} rows of the DataFrame equal the results")
spark.read.json("whole.jsonl").write.parquet("rows.parquet")
TABLE
"$ragfaith" score whole.jsonl --judge lexical --keep label --to none -q --max-failed 1 -o whole-one.jsonl --summary whole-one.summary.json
spark rows.parquet out2 --partitions 5 -- --judge lexical --keep label >/dev/null || show_log
report whole-merged out2
compare whole-one whole-merged

echo '== failing partition'
if spark 'rows/*.jsonl' out3 -- --judge nope >/dev/null; then
	echo 'Spark accepted a partition although ragfaith exited with 2' >&2
	exit 1
fi
grep -m1 -o 'RuntimeError: .* exited with 2 after 0 results.*' spark.log
grep -q 'nope' spark.log
test ! -e out3/_SUCCESS
sed 's/"id":/"key":/' whole.jsonl >no-id.jsonl
if spark no-id.jsonl out4 >output; then # PySpark merges stdout and stderr
	echo 'Spark accepted rows without an id' >&2
	exit 1
fi
grep -m1 -o 'rows without an id.*' output
