#!/bin/sh
# Checks workflows with actionlint, scripts with shellcheck, and the action and pipelines
# against their published schemas with check-jsonschema (from PyPI, or the command in
# CHECK_JSONSCHEMA).
set -eu
cd "$(dirname "$0")/.."
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
shellcheck --severity=warning scripts/*.sh packaging/*.sh .ci/run
schema=${CHECK_JSONSCHEMA:-check-jsonschema}
"$schema" --builtin-schema vendor.github-actions action.yml
"$schema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-lint.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# Extract the pipelines from docs/ci.md.
awk -v dir="$tmp" '/^## /{page=$2} /^```yaml/{n++; file=dir "/" page "-" n ".yml"; next} /^```/{file=""} file{print > file}' docs/ci.md
for file in "$tmp"/GitHub-*.yml; do
	sed -i '1i on: push' "$file"
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 "$file"
	"$schema" --builtin-schema vendor.github-workflows "$file"
done
"$schema" --builtin-schema vendor.gitlab-ci "$tmp"/GitLab-*.yml
./scripts/release.sh check
