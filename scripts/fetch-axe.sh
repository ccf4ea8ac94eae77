#!/bin/sh
# Puts axe-core, which finds faults of accessibility in a page, where the tests of
# the HTML report look for it, and prints the file. It comes from the npm registry
# and needs npm. Another version may be given.
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
