#!/usr/bin/env bash
# Makes what is packed beside the binary of a release, in a folder:
#
#	THIRD_PARTY_NOTICES.md   the licence of every module that is part of a binary
#	                         on any system that is released, and of the data in it
#	completions/             for bash, zsh, fish and PowerShell
#	man/                     a page of each command
#
#	./scripts/release-files.sh DIR RAGFAITH
#
# RAGFAITH is a binary to ask. The modules are fetched where the module cache lacks
# one.
set -euo pipefail # in a pipe, too: a module without a licence is to stop it
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

# licences FOLDER prints the files at the top of a module that say what is allowed.
licences() {
	find "$1" -maxdepth 1 -type f | grep -Ei '/(licen[cs]e|copying|notice|patents)[^/]*$' | grep -v '\.go$' | sort
}

# fenced FILE prints a file as a block of Markdown.
fenced() {
	printf '\n````text\n'
	tr -d '\r' <"$1" | awk 1
	printf '````\n'
}

modules >"$dir/modules"
{
	echo '# Third-party notices'
	echo
	echo 'ragfaith is under the Apache License 2.0 (LICENSE). Its binaries hold the following, under their own licences.'
	while read -r path version folder; do
		files=$(licences "$folder") || {
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
	sed 1,2d internal/verdict/lexical/lexicon/data/NOTICE.md
	printf '\n## Model of the embedded judge\n\nBegun from all-MiniLM-L6-v2, under the Apache License 2.0 (LICENSE).\n\n'
	sed -n '/^## Training$/,/^## /{/^## /!p}' internal/verdict/embedded/model/MODEL_CARD.md
} >"$dir/THIRD_PARTY_NOTICES.md"
rm "$dir/modules"
