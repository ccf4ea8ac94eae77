#!/bin/sh
# Downloads ONNX Runtime and prints its directory, for the tests of --device:
#
#	RAGFAITH_ONNXRUNTIME=$(./scripts/fetch-onnxruntime.sh [VERSION]) make test-ort
#
# The library is extracted from its Python package. Needs python3 with pip.
set -eu
version=${1:-1.23.2}
dir=${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/test-libraries/onnxruntime-$version
if [ ! -d "$dir" ]; then
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-onnxruntime.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$tmp" "onnxruntime==$version" >&2
	python3 -m zipfile -e "$tmp"/*.whl "$tmp/files"
	mkdir -p "$(dirname "$dir")"
	mv "$tmp/files/onnxruntime/capi" "$dir"
fi
echo "$dir"
