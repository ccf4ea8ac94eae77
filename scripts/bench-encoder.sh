#!/bin/sh
# Compares the speed of the encoder kernels with ONNX Runtime on the same weights,
# inputs and cores. Arguments are passed to bench-encoder.py. Python packages are
# installed in BENCH_CACHE, by default a directory in TMPDIR, and reused.
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
