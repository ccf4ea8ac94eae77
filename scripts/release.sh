#!/bin/sh
# Runs goreleaser with what .goreleaser.yaml needs, both fetched as Go modules and
# built first, which takes some minutes and a gigabyte:
#
#	./scripts/release.sh check
#	./scripts/release.sh release --snapshot --clean     # into dist/, publishes nothing
#	./scripts/release.sh release --clean                # of a tag, with GITHUB_TOKEN
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/build/tools
for module in github.com/goreleaser/goreleaser/v2@v2.16.0 github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0; do
	name=${module%@*}
	name=$(basename "${name%/v2}")
	if [ "$(cat "$tools/$name.is" 2>/dev/null)" != "$module" ] || [ ! -x "$tools/$name" ]; then
		GOBIN=$tools GOFLAGS='' go install "$module"
		echo "$module" >"$tools/$name.is"
	fi
done
PATH=$tools:$PATH exec goreleaser "$@"
