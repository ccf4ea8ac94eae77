#!/bin/sh
# Scores generated files of 100,000 and of ROWS rows (1,000,000; about 1 KB each)
# in FORMAT (jsonl, csv or parquet) with the lexical judge. Prints time, rows a
# second and peak memory of both and how they compare, and how fast --dry-run
# reads. Every result is checked to be in its place, and those of the small file
# to be the same bytes at concurrency 1, 16 and 64. Needs GNU time, and about
# 1.2 KB of room in TMPDIR for a row: results go through a pipe.
set -eu
binary=$1
rows=${ROWS:-1000000}
format=${FORMAT:-jsonl}
small=100000
dir=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
if ! /usr/bin/time -f %e true 2>/dev/null; then
	echo "bench-rows needs GNU time as /usr/bin/time" >&2
	exit 1
fi
room=$(df -Pk "$dir" | awk 'NR == 2 {print $4}')
if [ "$room" -lt $((rows * 12 / 10 + small * 4)) ]; then
	echo "bench-rows: $rows rows do not fit into $dir" >&2
	exit 1
fi
go build -o "$dir/rows" ./tools/benchrows

# measure NAME COMMAND...: seconds, processor seconds and KiB at the peak.
measure() {
	name=$1
	shift
	/usr/bin/time -f '%e %U %S %M' -o "$dir/$name.time" "$@"
}

# score N: in order, and measured.
score() {
	in="$dir/in-$1.$format"
	"$dir/rows" -n "$1" -o "$in"
	measure "score-$1" "$binary" score "$in" --judge lexical --to jsonl -q | "$dir/rows" -check -n "$1"
	awk -v n="$1" '{printf "score %9d rows: %8.1f s, %6.0f rows/s, %5.1f MiB at the peak, %.1f s of processor time\n", n, $1, n / $1, $4 / 1024, $2 + $3}' "$dir/score-$1.time"
	measure "dry-$1" "$binary" score "$in" --judge lexical --dry-run >"$dir/dry-$1.txt"
	grep -Eq "^rows +$1 " "$dir/dry-$1.txt"
	wc -c <"$in" | awk -v n="$1" '{
		size = $1 / 1e6
		getline <ARGV[2]
		printf "read  %9d rows: %8.1f s, %6.0f MB/s, %7.1f MiB at the peak, %.1f s of processor time for %.0f MB\n", n, $1, size / $1, $4 / 1024, $2 + $3, size
		exit
	}' - "$dir/dry-$1.time"
}

score $small
for c in 1 16 64; do
	"$binary" score "$dir/in-$small.$format" --judge lexical --to jsonl -q --concurrency "$c" >"$dir/out-$c"
done
cmp "$dir/out-1" "$dir/out-16"
cmp "$dir/out-1" "$dir/out-64"
echo "the same bytes at concurrency 1, 16 and 64, every result in its place"
rm -f "$dir"/out-* "$dir/in-$small.$format"
[ "$rows" = $small ] || score "$rows"
for what in score dry; do
	cat "$dir/$what-$small.time" "$dir/$what-$rows.time" | awk -v what="$what" -v few=$small -v many="$rows" '
		{e[NR] = $1; m[NR] = $4}
		END {printf "%s, %d rows to %d: %.3f of the rows/s, %.3f of the memory\n", what, many, few, (many / e[2]) / (few / e[1]), m[2] / m[1]}'
done
