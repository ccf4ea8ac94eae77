#!/bin/sh
# Compares the speed of the engine with ONNX Runtime and PyTorch on models with the
# shapes of published ones and random weights. Arguments are passed to bench-encoder.py.
# Python packages (5 GB) are installed in BENCH_CACHE, by default a directory in TMPDIR,
# and reused. The largest model takes 10 GB of disk and memory.
set -eu
cd "$(dirname "$0")/.."
cache=${BENCH_CACHE:-${TMPDIR:-/tmp}/ragfaith-bench-encoder}
mkdir -p "$cache"
if [ ! -x "$cache/venv/bin/python" ]; then
	python3 -m venv "$cache/venv"
fi
if ! "$cache/venv/bin/python" -c 'import onnx, onnxruntime, torch, transformers' 2>/dev/null; then
	"$cache/venv/bin/pip" install -q onnxruntime onnx torch 'transformers<5' safetensors numpy
fi
CGO_ENABLED=0 ${GO:-go} build -o "$cache/bench" ./tools/bench
exec "$cache/venv/bin/python" scripts/bench-encoder.py --binary "$cache/bench" "$@"
