# `make run` and `make test` need only Go.

GO      ?= go
BINARY  := bin/ragfaith
LINT    := $(GO) tool -modfile=tools/lint/go.mod golangci-lint
STAT    := $(GO) tool -modfile=tools/lint/go.mod benchstat
FUZZ    ?= 60s
SHARED  ?= ../shared
DATA    ?= $(SHARED)/data
JUDGES  ?= lexical embedded

# Use the same flags everywhere, so that all commands share the build cache.
export GOFLAGS += -trimpath

.PHONY: help build build-ort run test test-all test-ort lint vuln bench bench-peers bench-rows bench-page bench-encoder accuracy e2e-llama e2e-spark fuzz lexicon release lint-ci clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

build: ## build the static binary bin/ragfaith
	CGO_ENABLED=0 $(GO) build -ldflags=-s -o $(BINARY) ./cmd/ragfaith

build-ort: ## build bin/ragfaith-ort, which can load ONNX Runtime (for Linux, dynamically linked)
	CGO_ENABLED=0 $(GO) build -tags ort -ldflags=-s -o $(BINARY)-ort ./cmd/ragfaith

run: build ## score the rows in testdata, offline
	$(BINARY) score testdata/rows.jsonl

test: ## run the tests except slow ones; needs no C compiler
	CGO_ENABLED=0 $(GO) test -short ./...

# The packages with goroutines or locks.
CONCURRENT = $(shell grep -rlE --include='*.go' --exclude='*_test.go' 'sync\.(Mutex|WaitGroup)|"sync/atomic"|errgroup"$$|go func' internal | xargs dirname | sort -u | sed 's|^|./|')

test-all: ## run all tests, then concurrent code and scripts with the race detector (needs a C compiler)
	CGO_ENABLED=0 $(GO) test -timeout 20m ./...
	CGO_ENABLED=1 $(GO) test -short -race -timeout 20m $(CONCURRENT)
	CGO_ENABLED=1 $(GO) test -race -timeout 20m -run TestScripts ./cmd/ragfaith

test-ort: ## test ONNX graphs with the library in RAGFAITH_ONNXRUNTIME (see scripts/fetch-onnxruntime.sh)
	@test -n "$$RAGFAITH_ONNXRUNTIME" || { echo 'RAGFAITH_ONNXRUNTIME is not set'; exit 1; }
	CGO_ENABLED=0 $(GO) test -tags ort ./internal/encoder/ort
	CGO_ENABLED=0 $(GO) test -tags ort -run ONNX ./internal/encoder

lint: ## run the linters (versions in tools/lint/go.mod)
	$(LINT) run ./...
	$(LINT) run --build-tags ort ./internal/encoder/ort

vuln: ## check for known vulnerabilities, if the database can be reached
	./scripts/vuln.sh

bench: bench-peers ## run all benchmarks; BENCH_BASE=FILE compares with an earlier bench.txt
	$(GO) test -run '^$$' -bench . -benchmem -count 5 ./internal/... | tee bench.txt
	$(STAT) $(BENCH_BASE) bench.txt

bench-peers: build ## compare the speed with Ragas, DeepEval and promptfoo, if installed
	./scripts/bench-peers.sh $(BINARY) $(SHARED)/peers $(DATA)

bench-rows: build ## time and memory for 100,000 and 1,000,000 rows; ROWS=N FORMAT=csv|parquet
	./scripts/bench-rows.sh $(BINARY)

bench-page: build ## size of an HTML report of 20,000 rows, and its load time in Chromium
	./scripts/bench-page.sh $(BINARY)

bench-encoder: ## compare models with ONNX Runtime and PyTorch; BENCH_ARGS="--only bert-base" BENCH_CACHE=DIR
	./scripts/bench-encoder.sh $(BENCH_ARGS)

accuracy: build ## AUROC and balanced accuracy of JUDGES on each suite in DATA; needs numpy, scikit-learn, scipy and zstandard
	python3 training/accuracy.py $(BINARY) $(DATA) $(JUDGES)

e2e-llama: build ## score rows with llama.cpp, which it builds first (10 to 20 minutes)
	./scripts/e2e-llama.sh $(BINARY)

e2e-spark: build ## score rows with a local Spark, which it downloads (430 MB; needs Java 17)
	./scripts/e2e-spark.sh $(BINARY)

fuzz: ## run each fuzz target for FUZZ (default 60s)
	./scripts/fuzz.sh $(FUZZ)

lexicon: ## generate the word tables of the lexical judge from DOCS and LEXICON
	$(GO) run internal/lexicon/generate.go -docs $(DOCS) -lexicon $(LEXICON) \
		-o internal/lexicon/data/lexicon.bin

release: ## build the files of a release in dist/ without publishing (builds goreleaser: minutes)
	./scripts/release.sh release --snapshot --clean

lint-ci: ## check workflows, action, scripts and release configuration (builds linters: minutes)
	./scripts/lint-ci.sh

clean: ## remove build outputs
	rm -rf bin dist bench.txt
