#!/bin/sh
# Compares the speed of ragfaith with Ragas, DeepEval and promptfoo on 500 rows and a
# mock server, in alternating runs, and prints the time of each tool relative to the
# fastest:
#
#	./scripts/bench-peers.sh RAGFAITH PEERS DATA
#
# PEERS is the directory with bench.sh, mkdata.py and the source of the mock server; if
# it does not exist, nothing is measured. DATA has suite-dev and mtrag-human-dev
# (.jsonl.zst). scripts/fetch-peers.sh installs the other tools in PEERS_INSTALLED
# (default $XDG_CACHE_HOME/ragfaith/peers); missing ones are skipped. REPEATS (3) is the
# number of runs, LATENCIES ("0s 200ms") the delays of the mock server to measure with.
set -eu
export OPENAI_API_KEY=none # required by the other tools
ragfaith=$1 peers=$2 data=$3
installed=${PEERS_INSTALLED:-${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/peers}
if [ ! -f "$peers/bench.sh" ]; then
	echo "$peers not found: skipping the comparison with other tools"
	exit 0
fi
ragfaith=$(realpath "$ragfaith")
peers=$(realpath "$peers")
dir=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-peers.XXXXXX")
trap 'rm -rf "$dir"' EXIT
for suite in suite-dev mtrag-human-dev; do
	zstd -dqc "$data/$suite.jsonl.zst" >"$dir/$suite.jsonl"
done
python3 "$peers/mkdata.py" "$dir" "$dir/suite-dev.jsonl" "$dir/mtrag-human-dev.jsonl" >/dev/null
(cd "$peers/mock" && CGO_ENABLED=0 ${GO:-go} build -o "$dir/mock" .)

set --
for tool in ragas:R deepeval:D promptfoo:P; do
	if [ -e "$installed/${tool%:*}" ]; then
		set -- "$@" "-${tool#*:}" "$installed/${tool%:*}"
	else
		echo "${tool%:*} not found in $installed (see scripts/fetch-peers.sh): skipped"
	fi
done
# The first two profiles make the same requests as the other tools. The rest are modes
# that they lack: one request per row, or none.
llm="'$ragfaith' score {data} --judge llm --model mock --api-key-env '' --base-url {url} --no-cache --concurrency {conc} --to none -q -o {out}.jsonl"
cd "$dir" # other tools write to the working directory
for latency in ${LATENCIES:-0s 200ms}; do
	"$peers/bench.sh" -m "$dir/mock" -r "${REPEATS:-3}" -l "$latency" -w "$dir/work" -d "$dir/data500.jsonl" -p "$dir/pf-data500.jsonl" "$@" \
		"rf-ragas=$llm --profile ragas" "rf-rag-evals=$llm --profile rag-evals" "rf-llm=$llm" "rf-llm-joined=$llm --evidence joined" \
		"rf-lexical='$ragfaith' score {data} --judge lexical --to none -q -o {out}.jsonl"
	rm -rf "$dir/work"
done
