#!/usr/bin/env bash
# Looks for known vulnerabilities in what ragfaith calls. Where their database,
# vuln.go.dev, can't be reached, it says so and all is well.
set -euo pipefail
cd "$(dirname "$0")/.."

found=3 # what govulncheck exits with where it finds something
code=0
said=$(go tool -modfile=tools/lint/go.mod govulncheck ./... 2>&1) || code=$?
printf '%s\n' "$said"
if [ "$code" != 0 ] && [ "$code" != "$found" ] && grep -q 'vuln\.go\.dev' <<<"$said"; then
	echo 'vuln.go.dev can not be reached: nothing is known of vulnerabilities'
	exit 0
fi
exit "$code"
