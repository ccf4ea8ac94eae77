#!/usr/bin/env bash
# Generates the files that a release contains besides the binary:
#
#	THIRD_PARTY_NOTICES.md   licences of all modules linked into a released binary,
#	                         and of the embedded data
#	completions/             completions for bash, zsh, fish and PowerShell
#	man/                     one page per command
#
#	./scripts/release-files.sh DIR RAGFAITH
#
# RAGFAITH is the binary that generates completions and pages. Modules missing from the
# module cache are downloaded.
set -euo pipefail # also fail if a module in the pipe below has no licence
dir=$1 ragfaith=$2
mkdir -p "$dir/completions" "$dir/man"
"$ragfaith" man "$dir/man" >/dev/null
for shell in bash zsh fish powershell; do
	"$ragfaith" completion "$shell" >"$dir/completions/ragfaith.$shell"
done

modules() {
	for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
		GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go list -deps \
			-f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/ragfaith
	done | sort -u
}

# licences DIR lists the licence files of a module.
licences() {
	find "$1" -maxdepth 1 -type f | grep -Ei '/(licen[cs]e|copying|notice|patents)[^/]*$' | grep -v '\.go$' | sort
}

# fenced FILE prints a file as a Markdown code block.
fenced() {
	printf '\n````text\n'
	tr -d '\r' <"$1" | awk 1
	printf '````\n'
}

modules >"$dir/modules"
{
	echo '# Third-party notices'
	echo
	echo 'ragfaith is under the Apache License 2.0 (LICENSE). Its binaries contain the following under their own licences.'
	while read -r path version module_dir; do
		files=$(licences "$module_dir") || {
			echo "$path $version has no licence" >&2
			exit 1
		}
		printf '\n## %s %s\n' "$path" "$version"
		echo "$files" | while read -r file; do
			fenced "$file"
		done
	done <"$dir/modules"
	printf '\n## The Go standard library\n'
	fenced "$(go env GOROOT)/LICENSE"
	printf '\n## Word tables of the lexical judge\n\n'
	sed 1,2d internal/lexicon/data/NOTICE.md
	printf '\n## Weights of the embedded judge\n\n'
	sed 1,2d internal/verdict/embedded/model/NOTICE.md
	printf '\n## Token vocabularies\n\n'
	sed 1,2d internal/llm/data/NOTICE.md
} >"$dir/THIRD_PARTY_NOTICES.md"
rm "$dir/modules"
