#!/bin/sh
# Makes an HTML report of 20,000 real rows, those of testdata over and over, and
# prints its size and how fast Chromium opens, searches and sorts it:
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
"$binary" score "$tmp/rows.jsonl" --quiet --to none -o "$tmp/report.html"
go test ./internal/report/html -run '^$' -bench Open -benchtime 3x -page "$tmp/report.html"
