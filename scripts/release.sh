#!/bin/sh
# Runs goreleaser, which is fetched as a Go module and built first, for some
# minutes:
#
#	./scripts/release.sh check
#	./scripts/release.sh release --snapshot --clean     # into dist/, publishes nothing
#	./scripts/release.sh release --clean                # of a tag, with GITHUB_TOKEN
#
# GORELEASER names one that is there already. For a release it needs jq.
set -eu
cd "$(dirname "$0")/.."
goreleaser=${GORELEASER:-}
if [ -z "$goreleaser" ]; then
	GOFLAGS='' exec go run github.com/goreleaser/goreleaser/v2@v2.16.0 "$@"
fi
exec "$goreleaser" "$@"
