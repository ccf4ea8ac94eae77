#!/bin/sh
# Trains the embedded judge and exports the model:
#
#	./scripts/train.sh DATA OUT
#
# DATA is a directory with grounded-train, nli-train, docs, suite-dev and
# mtrag-human-dev (.jsonl.zst) and lexicon.tar.zst. All outputs are written to OUT; the
# model is OUT/grounding.safetensors. An interrupted run resumes.
#
# FIRST   tokens of the first stage (8e6)
# SECOND  tokens of the second stage (10e6)
# SEED    random seed of data and training (1)
# PYTHON  interpreter for the virtual environment OUT/venv (python3)
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
# Optional: tcmalloc makes a step about 10% faster.
preload=
for allocator in /usr/lib/*/libtcmalloc_minimal.so.4; do
	if [ -e "$allocator" ]; then
		preload="env LD_PRELOAD=$allocator"
	fi
done

# Outputs are renamed into place when complete, so existing ones are not made again.
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

# stage WEIGHTS TOKENS FLAG... trains WEIGHTS unless the file exists.
stage() {
	weights=$1 tokens=$2
	shift 2
	if [ ! -f "$weights" ]; then
		OMP_NUM_THREADS=1 $preload "$python" training/train.py --data "$out/words.jsonl" --init "$init" --out "$weights" --tokens "$tokens" --seed "$seed" "$@"
	fi
}
# First train on all claims, then on those that the lexical score does not predict.
stage "$out/first.safetensors" "${FIRST:-8e6}" --max-ratio 0 --lexical-weight 0
stage "$out/weights.safetensors" "${SECOND:-10e6}" --weights "$out/first.safetensors" --max-ratio 1.5 --lexical-weight 0 --rate 1.2e-4

"$python" training/export.py --weights "$out/weights.safetensors" --init "$init" --out "$out/unfitted.safetensors"
${GO:-go} build -o "$out/signals" ./tools/signals
"$out/signals" -model "$out/unfitted.safetensors" <"$out/held.jsonl" >"$out/held.signals.jsonl"
"$python" training/fit.py --signals "$out/held.signals.jsonl" --weight 0.3 --out "$out/formula.json"
"$python" training/export.py --weights "$out/weights.safetensors" --init "$init" --verdict "$out/formula.json" --out "$out/grounding.safetensors"
echo "$out/grounding.safetensors"
