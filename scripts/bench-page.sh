#!/bin/sh
# Writes an HTML report of ROWS rows (default 20,000), repeating those in testdata, and
# prints its size and how long Chromium takes to open, search and sort it:
#
#	./scripts/bench-page.sh bin/ragfaith [ROWS]
set -eu
binary=$1
rows=${2:-20000}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-page.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
i=0
while [ "$i" -lt "$rows" ]; do
	cat testdata/rows.jsonl
	i=$((i + 60))
done | head -n "$rows" >"$tmp/rows.jsonl"
"$binary" score "$tmp/rows.jsonl" --judge lexical --quiet --to none -o "$tmp/report.html"
go test ./internal/report/html -run '^$' -bench Open -benchtime 3x -page "$tmp/report.html"
