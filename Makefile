# `make run` and `make test` need Go and nothing else.

GO      ?= go
BINARY  := bin/ragfaith
LINT    := $(GO) tool -modfile=tools/lint/go.mod golangci-lint
STAT    := $(GO) tool -modfile=tools/lint/go.mod benchstat
FUZZ    ?= 60s
SHARED  ?= ../shared
DATA    ?= $(SHARED)/data
JUDGES  ?= lexical
TRAIN   ?= build/train

# One set of flags for all commands, so that they share the build cache.
export GOFLAGS += -trimpath

.PHONY: help build build-ort run test test-all test-ort lint vuln bench bench-peers bench-rows bench-page bench-encoder accuracy train e2e-llama e2e-spark fuzz lexicon release lint-ci clean

help: ## say what each target does
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

build: ## build the static binary bin/ragfaith
	CGO_ENABLED=0 $(GO) build -ldflags=-s -o $(BINARY) ./cmd/ragfaith

build-ort: ## build bin/ragfaith-ort, which can load ONNX Runtime and is not static on Linux
	CGO_ENABLED=0 $(GO) build -tags ort -ldflags=-s -o $(BINARY)-ort ./cmd/ragfaith

run: build ## score the real rows in testdata, offline
	$(BINARY) score testdata/rows.jsonl

test: ## run the tests except slow ones
	CGO_ENABLED=0 $(GO) test -short ./...

test-all: ## run every test, then those of make test with the race detector; needs a C compiler
	CGO_ENABLED=0 $(GO) test -timeout 20m ./...
	CGO_ENABLED=1 $(GO) test -short -race -timeout 20m ./...

test-ort: ## test --device with the library that RAGFAITH_ONNXRUNTIME names; scripts/fetch-onnxruntime.sh fetches it
	@test -n "$$RAGFAITH_ONNXRUNTIME" || { echo 'RAGFAITH_ONNXRUNTIME names no ONNX Runtime'; exit 1; }
	CGO_ENABLED=0 $(GO) test -tags ort ./internal/encoder/ort
	CGO_ENABLED=0 $(GO) test -tags ort -run 'Runtime|Device' ./internal/encoder ./cmd/ragfaith

lint: ## run the linters, pinned in tools/lint/go.mod
	$(LINT) run ./...
	$(LINT) run --build-tags ort ./internal/encoder/ort

vuln: ## look for known vulnerabilities, where their database can be reached
	./scripts/vuln.sh

bench: bench-peers ## time the packages and other tools; BENCH_BASE=FILE compares with an earlier bench.txt
	$(GO) test -run '^$$' -bench . -benchmem -count 5 ./internal/... | tee bench.txt
	$(STAT) $(BENCH_BASE) bench.txt

bench-peers: build ## ragfaith beside Ragas, DeepEval and promptfoo, where SHARED has what it takes
	./scripts/bench-peers.sh $(BINARY) $(SHARED)/peers $(DATA)

bench-rows: build ## 100,000 and a million rows: time, memory, the same bytes at any concurrency; ROWS=N FORMAT=csv|parquet
	./scripts/bench-rows.sh $(BINARY)

bench-page: build ## an HTML report of 20,000 rows: its size, and how fast Chromium opens it
	./scripts/bench-page.sh $(BINARY)

bench-encoder: ## ONNX Runtime beside the kernels, in turns; BENCH_ARGS="--only int8 --turns 5", BENCH_CACHE=DIR
	./scripts/bench-encoder.sh $(BENCH_ARGS)

accuracy: build ## AUROC and balanced accuracy of the judges on each suite in DATA
	$(GO) run ./tools/accuracy -ragfaith $(BINARY) -data $(DATA) -judges $(JUDGES)

train: ## train the embedded judge on DATA, into TRAIN; two hours on two cores
	./scripts/train.sh $(DATA) $(TRAIN)

e2e-llama: build ## rows through llama.cpp's server, which is built first (10 to 20 minutes)
	./scripts/e2e-llama.sh $(BINARY)

e2e-spark: build ## rows through a Spark of this machine, which is fetched first (430 MB; it needs Java 17)
	./scripts/e2e-spark.sh $(BINARY)

fuzz: ## run each fuzz target for FUZZ (60s)
	./scripts/fuzz.sh $(FUZZ)

lexicon: ## regenerate the word tables of the lexical judge from DOCS and LEXICON
	$(GO) run ./tools/lexicon -docs $(DOCS) -lexicon $(LEXICON) \
		-o internal/verdict/lexical/lexicon/data/lexicon.bin

release: ## what a release holds, into dist/; publishes nothing (builds goreleaser first: minutes)
	./scripts/release.sh release --snapshot --clean

lint-ci: ## look at workflows, action, hook, scripts and settings of releases (builds linters first: minutes)
	./scripts/lint-ci.sh

clean: ## remove what was built
	rm -rf bin dist bench.txt
