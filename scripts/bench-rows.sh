#!/bin/sh
# Scores generated files of 100,000 and of ROWS (1,000,000) rows of about 1 KB with the
# lexical judge, in FORMAT (jsonl, csv or parquet). Prints time, rows per second and
# peak memory of both, their ratios, and the speed of reading with --dry-run. Checks
# that results are in order, and those of the small file identical at concurrency 1, 16 and 64.
# Needs GNU time and 1.2 KB per row in TMPDIR.
set -eu
binary=$1
rows=${ROWS:-1000000}
format=${FORMAT:-jsonl}
small=100000
dir=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
if ! /usr/bin/time -f %e true 2>/dev/null; then
	echo "bench-rows: GNU time not found at /usr/bin/time" >&2
	exit 1
fi
available=$(df -Pk "$dir" | awk 'NR == 2 {print $4}')
if [ "$available" -lt $((rows * 12 / 10 + small * 4)) ]; then
	echo "bench-rows: not enough space for $rows rows in $dir" >&2
	exit 1
fi
go build -o "$dir/bench" ./tools/bench

# measure NAME COMMAND... writes seconds, CPU seconds and peak KiB to NAME.time.
measure() {
	name=$1
	shift
	/usr/bin/time -f '%e %U %S %M' -o "$dir/$name.time" "$@"
}

# score N generates N rows, then measures scoring and reading them.
score() {
	in="$dir/in-$1.$format"
	"$dir/bench" rows -n "$1" -o "$in"
	measure "score-$1" "$binary" score "$in" --judge lexical --to jsonl -q >/dev/null
	"$binary" score "$in" --judge lexical --to jsonl -q | awk -F '[:,]' -v n="$1" '
		$1 != "{\"index\"" || $2 != NR - 1 || !/}$/ {bad = 1}
		END {exit bad || NR != n}'
	awk -v n="$1" '{printf "score %9d rows: %8.1f s, %6.0f rows/s, %5.1f MiB peak, %.1f s CPU\n", n, $1, n / $1, $4 / 1024, $2 + $3}' "$dir/score-$1.time"
	measure "dry-$1" "$binary" score "$in" --judge lexical --dry-run >"$dir/dry-$1.txt"
	grep -Eq "^rows +$1 " "$dir/dry-$1.txt"
	wc -c <"$in" | awk -v n="$1" '{
		size = $1 / 1e6
		getline <ARGV[2]
		printf "read  %9d rows: %8.1f s, %6.0f MB/s, %7.1f MiB peak, %.1f s CPU for %.0f MB\n", n, $1, size / $1, $4 / 1024, $2 + $3, size
		exit
	}' - "$dir/dry-$1.time"
}

score $small
for c in 1 16 64; do
	"$binary" score "$dir/in-$small.$format" --judge lexical --to jsonl -q --concurrency "$c" >"$dir/out-$c"
done
cmp "$dir/out-1" "$dir/out-16"
cmp "$dir/out-1" "$dir/out-64"
echo "results in order, and identical at concurrency 1, 16 and 64"
rm -f "$dir"/out-* "$dir/in-$small.$format"
[ "$rows" = $small ] || score "$rows"
for what in score dry; do
	cat "$dir/$what-$small.time" "$dir/$what-$rows.time" | awk -v what="$what" -v small=$small -v large="$rows" '
		{e[NR] = $1; m[NR] = $4}
		END {printf "%s, %d rows relative to %d: %.3f of the rows/s, %.3f of the memory\n", what, large, small, (large / e[2]) / (small / e[1]), m[2] / m[1]}'
done
