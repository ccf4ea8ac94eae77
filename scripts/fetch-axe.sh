#!/bin/sh
# Downloads axe-core, which checks the accessibility of the HTML report in tests, and
# prints its path. Needs npm.
#
#	./scripts/fetch-axe.sh [VERSION]
set -eu
version=${1:-4.14.1}
dir=${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/test-libraries/axe-core-$version
if [ ! -f "$dir/axe.min.js" ]; then
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-axe.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	npm pack --silent --pack-destination "$tmp" "axe-core@$version" >&2
	tar -xzf "$tmp"/*.tgz -C "$tmp"
	mkdir -p "$dir"
	mv "$tmp/package/axe.min.js" "$dir/axe.min.js"
fi
echo "$dir/axe.min.js"
