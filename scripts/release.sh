#!/bin/sh
# Runs goreleaser. Unless GORELEASER is the path of a binary, it is downloaded as a Go
# module and built, which takes minutes. A release also needs jq.
#
#	./scripts/release.sh check
#	./scripts/release.sh release --snapshot --clean     # builds into dist/ without publishing
#	./scripts/release.sh release --clean                # publishes the current tag; needs GITHUB_TOKEN
set -eu
cd "$(dirname "$0")/.."
goreleaser=${GORELEASER:-}
if [ -z "$goreleaser" ]; then
	GOFLAGS='' exec go run github.com/goreleaser/goreleaser/v2@v2.16.0 "$@"
fi
exec "$goreleaser" "$@"
