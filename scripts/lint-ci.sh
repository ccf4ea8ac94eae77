#!/bin/sh
# Looks at what other systems read: workflows with actionlint, scripts with
# Debian's shellcheck, and files against the schemas that are published for
# them, with check-jsonschema (of PyPI; CHECK_JSONSCHEMA names one).
set -eu
cd "$(dirname "$0")/.."
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
shellcheck --severity=warning scripts/*.sh .ci/run
schema=${CHECK_JSONSCHEMA:-check-jsonschema}
"$schema" --builtin-schema vendor.github-actions action.yml
"$schema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-lint.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# The pipelines of docs/ci.md.
awk -v dir="$tmp" '/^## /{page=$2} /^```yaml/{n++; file=dir "/" page "-" n ".yml"; next} /^```/{file=""} file{print > file}' docs/ci.md
for file in "$tmp"/GitHub-*.yml; do
	sed -i '1i on: push' "$file"
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 "$file"
	"$schema" --builtin-schema vendor.github-workflows "$file"
done
"$schema" --builtin-schema vendor.gitlab-ci "$tmp"/GitLab-*.yml
./scripts/release.sh check
