#!/bin/sh
# Times ragfaith beside Ragas, DeepEval and promptfoo, in turns, on 500 rows and
# against one test server, and prints how many times as long as the quickest each
# takes:
#
#	./scripts/bench-peers.sh RAGFAITH PEERS DATA
#
# PEERS is the folder of bench.sh, mkdata.py and the test server's source, DATA that
# of suite-dev and mtrag-human-dev (.jsonl.zst). Where there is no such folder it says
# so and does nothing. Of the other tools those are timed that PEERS_INSTALLED
# ($XDG_CACHE_HOME/ragfaith/peers) holds, in ragas, deepeval and promptfoo;
# scripts/fetch-peers.sh installs them. REPEATS (3) and LATENCIES ("0s 200ms") are how
# often, and how long the server waits with each reply.
set -eu
export OPENAI_API_KEY=none # others don't start without
ragfaith=$1 peers=$2 data=$3
installed=${PEERS_INSTALLED:-${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/peers}
if [ ! -f "$peers/bench.sh" ]; then
	echo "no $peers: other tools are not timed"
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
		echo "${tool%:*} is not in $installed (scripts/fetch-peers.sh): not timed"
	fi
done
# The same work as the others, then what they don't have: a call a row, and none.
llm="'$ragfaith' score {data} --judge llm --model mock --api-key-env '' --base-url {url} --no-cache --concurrency {conc} --to none -q -o {out}.jsonl"
cd "$dir" # others leave files where they are run
for latency in ${LATENCIES:-0s 200ms}; do
	"$peers/bench.sh" -m "$dir/mock" -r "${REPEATS:-3}" -l "$latency" -w "$dir/work" -d "$dir/data500.jsonl" -p "$dir/pf-data500.jsonl" "$@" \
		"rf-ragas=$llm --profile ragas" "rf-rag-evals=$llm --profile rag-evals" "rf-llm=$llm" "rf-llm-joined=$llm --evidence joined" \
		"rf-lexical='$ragfaith' score {data} --judge lexical --to none -q -o {out}.jsonl" \
		"rf-embedded='$ragfaith' score {data} --judge embedded --to none -q -o {out}.jsonl"
	rm -rf "$dir/work"
done
