#!/bin/sh
# Trains the embedded judge from the data to the file in the binary:
#
#	./scripts/train.sh DATA OUT
#
# DATA is the folder of grounded-train, nli-train, docs, suite-dev and
# mtrag-human-dev (.jsonl.zst) and lexicon.tar.zst; OUT gets all that is made,
# grounding.safetensors at the end. A run that was stopped goes on where it was.
# FIRST and SECOND are the tokens of the two stages, SEED is that of them and of
# the data. PYTHON is the interpreter that the packages are installed for, in
# OUT/venv, which may be a link to an environment that has them.
set -eu
data=$(cd "${1:?usage: train.sh DATA OUT}" && pwd)
mkdir -p "${2:?usage: train.sh DATA OUT}"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
seed=${SEED:-1}
if [ ! -x "$out/venv/bin/python" ]; then
	"${PYTHON:-python3}" -m venv "$out/venv"
fi
"$out/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r training/requirements.txt
python=$out/venv/bin/python
init=$(./scripts/fetch-minilm.sh)
# With this allocator a step takes about a tenth less; it is not needed.
fast=
for allocator in /usr/lib/*/libtcmalloc_minimal.so.4; do
	if [ -e "$allocator" ]; then
		fast="env LD_PRELOAD=$allocator"
	fi
done

# What is there is done: every file comes to its name when it is whole.
if [ ! -f "$out/words.jsonl" ]; then
	mkdir -p "$out/lexicon"
	"$python" -c 'import sys, tarfile, zstandard
with zstandard.open(sys.argv[1], "rb") as f, tarfile.open(fileobj=f, mode="r|") as t:
    t.extractall(sys.argv[2], filter="data")' "$data/lexicon.tar.zst" "$out/lexicon"
	tables=$(dirname "$(find "$out/lexicon" -name lemmas.tsv)")
	"$python" training/prepare.py --data "$data" --lexicon "$tables" --out "$out" --seed "$seed"
	${GO:-go} build -o "$out/words" ./tools/lexicalscores
	"$out/words" <"$out/train.jsonl" >"$out/words.jsonl.new"
	mv "$out/words.jsonl.new" "$out/words.jsonl"
fi

# stage WEIGHTS TOKENS FLAG...: trains WEIGHTS, if they are not there.
stage() {
	weights=$1 tokens=$2
	shift 2
	if [ ! -f "$weights" ]; then
		OMP_NUM_THREADS=1 $fast "$python" training/train.py --data "$out/words.jsonl" --init "$init" --out "$weights" --tokens "$tokens" --seed "$seed" "$@"
	fi
}
# All claims first; then those that the words alone can't tell.
stage "$out/first.safetensors" "${FIRST:-8e6}" --slack 0 --beside 0
stage "$out/weights.safetensors" "${SECOND:-10e6}" --weights "$out/first.safetensors" --slack 1.5 --beside 0 --rate 1.2e-4

"$python" training/export.py --weights "$out/weights.safetensors" --init "$init" --out "$out/unfitted.safetensors"
${GO:-go} build -o "$out/signals" ./tools/signals
"$out/signals" -model "$out/unfitted.safetensors" <"$out/held.jsonl" >"$out/held.signals.jsonl"
"$python" training/fit.py --signals "$out/held.signals.jsonl" --weight 0.3 --out "$out/formula.json"
"$python" training/export.py --weights "$out/weights.safetensors" --init "$init" --verdict "$out/formula.json" --out "$out/grounding.safetensors"
echo "$out/grounding.safetensors"
