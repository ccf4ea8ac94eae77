#!/bin/sh
# Writes an SBOM of a Go binary as CycloneDX 1.6 JSON, from the module versions that the
# Go toolchain recorded in it. The output is reproducible.
#
#	./scripts/sbom.sh BINARY [FILE]
#
# Needs Go 1.25 or later, openssl and jq.
set -eu
if [ $# -gt 1 ]; then
	exec >"$2"
fi
# Not in a pipe, which would hide a failure of go version.
modules=$(go version -m -json "$1")
sha256=$(openssl dgst -sha256 -r "$1")
printf '%s\n' "$modules" | jq --arg sha256 "${sha256%% *}" '
	def purl: "pkg:golang/\(.Path)@\(.Version)";
	def setting($key): [.Settings[] | select(.Key == $key) | .Value][0] // "";
	(.Deps // [] | map(.Replace // .)) as $deps |
	(.Main | purl) as $main |
	("pkg:golang/std@\(.GoVersion | ltrimstr("go"))") as $std |
	{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
		bomFormat: "CycloneDX", specVersion: "1.6", version: 1,
		metadata: {component: {
			"bom-ref": $main, type: "application", name: "ragfaith", version: .Main.Version, purl: $main,
			hashes: [{alg: "SHA-256", content: $sha256}],
			licenses: [{license: {id: "Apache-2.0"}}],
			properties: [{name: "os", value: setting("GOOS")}, {name: "arch", value: setting("GOARCH")}]
		}},
		components: ([{"bom-ref": $std, type: "library", name: "std", version: (.GoVersion | ltrimstr("go")), purl: $std}]
			+ [$deps[] | {"bom-ref": purl, type: "library", name: .Path, version: .Version, purl: purl}
				+ if .Sum then {properties: [{name: "go.sum", value: .Sum}]} else {} end]),
		dependencies: [{ref: $main, dependsOn: ([$std] + [$deps[] | purl])}]
	}'
