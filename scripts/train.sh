#!/bin/sh
# Trains the embedded judge from the data to the file in the binary:
#
#	./scripts/train.sh DATA OUT
#
# DATA is the folder of grounded-train, nli-train, docs, suite-dev and
# mtrag-human-dev (.jsonl.zst) and lexicon.tar.zst; OUT gets all that is made,
# grounding.safetensors at the end. A run that was stopped goes on where it was.
# TOKENS and SEED are those of training/train.py; PYTHON is the interpreter that
# the packages are installed for, in OUT/venv.
set -eu
data=$(cd "${1:?usage: train.sh DATA OUT}" && pwd)
mkdir -p "${2:?usage: train.sh DATA OUT}"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
tokens=${TOKENS:-18e6}
seed=${SEED:-1}
if [ ! -x "$out/venv/bin/python" ]; then
	"${PYTHON:-python3}" -m venv "$out/venv"
fi
"$out/venv/bin/pip" install --quiet --disable-pip-version-check -r training/requirements.txt
python=$out/venv/bin/python
init=$(./scripts/fetch-minilm.sh)
# With this allocator a step takes about a tenth less; it is not needed.
for allocator in /usr/lib/*/libtcmalloc_minimal.so.4; do
	if [ -e "$allocator" ]; then
		fast="env LD_PRELOAD=$allocator"
	fi
done

if [ ! -f "$out/train.jsonl" ]; then
	mkdir -p "$out/lexicon"
	"$python" -c 'import sys, tarfile, zstandard
with zstandard.open(sys.argv[1], "rb") as f, tarfile.open(fileobj=f, mode="r|") as t:
    t.extractall(sys.argv[2], filter="data")' "$data/lexicon.tar.zst" "$out/lexicon"
	tables=$(dirname "$(find "$out/lexicon" -name lemmas.tsv)")
	"$python" training/prepare.py --data "$data" --lexicon "$tables" --out "$out" --seed "$seed"
fi
if [ ! -f "$out/weights.safetensors" ]; then
	OMP_NUM_THREADS=1 ${fast:-} "$python" training/train.py --data "$out/train.jsonl" --init "$init" --out "$out/weights.safetensors" --tokens "$tokens" --seed "$seed"
fi
"$python" training/export.py --weights "$out/weights.safetensors" --init "$init" --out "$out/unfitted.safetensors"
${GO:-go} build -o "$out/signals" ./internal/accuracy/signals
"$out/signals" -model "$out/unfitted.safetensors" <"$out/held.jsonl" >"$out/held.signals.jsonl"
"$python" training/fit.py --signals "$out/held.signals.jsonl" --out "$out/formula.json"
"$python" training/export.py --weights "$out/weights.safetensors" --init "$init" --verdict "$out/formula.json" --out "$out/grounding.safetensors"
echo "$out/grounding.safetensors"
