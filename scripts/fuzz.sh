#!/bin/sh
# Runs each fuzz target for the given time (default 60s).
set -eu
time=${1:-60s}
grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
	dir=$(dirname "$file")
	grep -oE '^func Fuzz[A-Za-z0-9_]*' "$file" | sed 's/^func //' | while read -r target; do
		echo "== $dir $target"
		go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
	done
done
