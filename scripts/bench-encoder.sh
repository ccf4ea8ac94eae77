#!/bin/sh
# Times the kernels against ONNX Runtime on the same weights, inputs and cores:
# see bench-encoder.py, which gets the arguments. Python packages go into
# BENCH_CACHE, by default a folder under TMPDIR that is kept for the next time.
set -eu
cd "$(dirname "$0")/.."
cache=${BENCH_CACHE:-${TMPDIR:-/tmp}/ragfaith-bench-encoder}
mkdir -p "$cache"
if [ ! -x "$cache/venv/bin/python" ]; then
	python3 -m venv "$cache/venv"
fi
if ! "$cache/venv/bin/python" -c 'import onnx, onnxruntime' 2>/dev/null; then
	"$cache/venv/bin/pip" install -q 'onnxruntime==1.31.*' onnx numpy ||
		"$cache/venv/bin/pip" install -q onnxruntime onnx numpy
fi
CGO_ENABLED=0 ${GO:-go} build -o "$cache/stack" ./tools/benchencoder
exec "$cache/venv/bin/python" scripts/bench-encoder.py --binary "$cache/stack" "$@"
