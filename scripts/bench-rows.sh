#!/bin/sh
# Scores a generated file of ROWS rows (1,000,000; about 1 KB each) with the
# lexical judge, prints time and peak memory, and checks that the results are
# the same bytes at concurrency 1 and 64.
set -eu
binary=$1
rows=${ROWS:-1000000}
dir=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
go run ./internal/accuracy/rows -n "$rows" -o "$dir/in.jsonl"
ls -l "$dir/in.jsonl" | awk '{print $5 " bytes of input"}'

run() {
	if [ -x /usr/bin/time ]; then
		/usr/bin/time -f '%e s, %M KiB peak' "$@"
	else
		time "$@"
	fi
}
for c in 1 16 64; do
	printf 'concurrency %s: ' "$c"
	run "$binary" score "$dir/in.jsonl" --judge lexical --to none -q --concurrency "$c" -o "$dir/out-$c.jsonl"
	sha256sum <"$dir/out-$c.jsonl" | cut -c1-16 >"$dir/sum-$c"
	[ "$c" = 16 ] || rm "$dir/out-$c.jsonl"
done
cmp "$dir/sum-1" "$dir/sum-64"
cmp "$dir/sum-1" "$dir/sum-16"
echo "the same bytes at concurrency 1, 16 and 64"
