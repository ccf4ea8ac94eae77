#!/bin/sh
# Runs goreleaser, and after a release writes the Homebrew formula and the Scoop manifest
# into build/manifests. Unless GORELEASER is the path of a binary, it is downloaded as a Go
# module and built, which takes minutes. A release also needs jq, Python and, for the
# container images, buildah.
#
#	./scripts/release.sh check
#	./scripts/release.sh release --snapshot --clean     # builds into dist/ without publishing
#	./scripts/release.sh release --clean                # publishes the current tag; needs GITHUB_TOKEN
set -eu
cd "$(dirname "$0")/.."
if [ -n "${GORELEASER:-}" ]; then
	"$GORELEASER" "$@"
else
	GOFLAGS='' go run github.com/goreleaser/goreleaser/v2@v2.16.0 "$@"
fi
if [ "${1:-}" = release ]; then
	./packaging/manifests.py "$(jq -r .version dist/metadata.json)" dist/*_checksums.txt build/manifests
fi
