# Everything a person or CI does here is a target; bare `make` prints them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# What is shipped is what is tested: without cgo, without paths of this machine.
STATIC      := CGO_ENABLED=0
BUILD       := -trimpath
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS     := -X main.version=$(VERSION)
# How long `make fuzz` stays on each fuzz target, and the worlds of `make sim`.
FUZZTIME    ?= 10s
SEED        ?= 1
SIMTIME     ?= 60s

.PHONY: help
help: ## print the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' Makefile

.PHONY: need-go
need-go:
	@command -v $(GO) >/dev/null || { echo "this target needs Go 1.26 or newer (go.dev/dl)" >&2; exit 1; }

.PHONY: build
build: need-go ## build the programs into bin/, static, version stamped
	@mkdir -p bin
	$(STATIC) $(GO) build $(BUILD) -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

.PHONY: run
run: build ## build and run one server: locks 127.0.0.1:5225, HTTP 127.0.0.1:5280, data ./data
	@echo
	@echo 'The server starts below; stop it with Ctrl-C. In another terminal:'
	@echo '  bin/ticket run demo -- sleep 5      # hold the lock "demo" while a command runs'
	@echo '  bin/ticket run demo -- date         # a second one waits for its turn'
	@echo '  bin/ticket locks                    # who holds what'
	@echo 'What it says of itself: http://127.0.0.1:5280/status and http://127.0.0.1:5280/metrics'
	@echo
	@exec bin/ticketd serve --listen 127.0.0.1:5225 --http 127.0.0.1:5280 --data-dir ./data

.PHONY: test
test: need-go ## all tests that need only Go and this machine
	$(STATIC) $(GO) test $(BUILD) -timeout 10m ./...

.PHONY: race
race: need-go ## the same tests, the long ones shortened, with race detector and costly checks (needs gcc)
	@command -v gcc >/dev/null || { echo "the race detector needs gcc (Debian: apt-get install gcc libc6-dev)" >&2; exit 1; }
	CGO_ENABLED=1 $(GO) test -race -short -tags invariants -timeout 15m ./...

.PHONY: lint
lint: need-go ## gofmt, vet, staticcheck, the rules of tidy/, module files
	@bad=$$(git ls-files -co --exclude-standard '*.go' | xargs -r ls -d 2>/dev/null | xargs -r gofmt -l); \
	  [ -z "$$bad" ] || { echo "gofmt -w these: $$bad" >&2; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags invariants,canary ./...
	$(GO) run $(STATICCHECK) -tags invariants,canary ./...
	$(GO) run $(STATICCHECK) -checks inherit,-U1000 ./... # the stand-ins of the costly checks look unused
	$(GO) test -count=1 ./tidy
	$(GO) mod tidy -diff
	$(GO) mod verify

.PHONY: fuzz
fuzz: need-go ## every fuzz target for FUZZTIME (10s)
	@$(GO) list -f '{{.ImportPath}}' ./... | while read -r pkg; do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

.PHONY: interop
interop: build ## the published Python and Rust clients, and their own tests, against our server
	interop/run

.PHONY: bench
bench: build ## side by side with redis; writes results as data and pictures
	benchmarks/run

.PHONY: sim
sim: build ## worlds in the simulator from SEED (1) on, for SIMTIME (60s)
	bin/ticketsim --seed $(SEED) --for $(SIMTIME)

.PHONY: sim-canary jepsen demo
sim-canary: ## planted bugs that the simulator must catch (not yet)
jepsen: ## real processes, real faults, a verdict (not yet)
demo: ## three nodes, the leader killed and brought back (not yet)
sim-canary jepsen demo:
	@echo "make $@: not yet; it comes with the cluster (docs/STATUS.md)" >&2; exit 1

.PHONY: ci
ci: ## what CI runs: lint, test, race, fuzz, interop; prints how long each took
	@.ci/parts lint test race fuzz interop
