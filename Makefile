SHELL := /bin/bash
GO ?= go
export VERSION PLATFORMS
# Where git does not speak to us, or there is none, the binary does not say which commit it is.
export GOFLAGS += -buildvcs=$(if $(shell git rev-parse HEAD 2>/dev/null),auto,false)

help: ## list every target
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

build: ## build the binary ./waybill
	$(GO) build -o waybill ./cmd/waybill

build-server: ## build the binary ./waybill as the image has it, without the sandbox
	CGO_ENABLED=0 $(GO) build -tags nosandbox -trimpath -ldflags "-s -w" -o waybill ./cmd/waybill

release: ## build the archives of VERSION for each of PLATFORMS into dist/, twice, and compare
	@GO=$(GO) .ci/release

module: ## change the path of the Go module to MODULE, in go.mod and in every import
	@GO=$(GO) .ci/module $(MODULE)

run: ## start the sandbox: everything embedded, no account, no network
	@[ -x waybill ] || echo "compiling: two minutes the first time"
	@$(GO) build -o waybill ./cmd/waybill && exec ./waybill sandbox

test: ## run all tests
	$(GO) test -timeout 60m ./...

noise: ## run the tests of the whole program on a GitHub that tells some things twice, and of other Apps' suites
	WAYBILL_TEST_NOISE=1 $(GO) test -count=1 -timeout 60m ./internal/sandbox

test-postgres: ## run the tests of the ledger, and the stories on the whole program, on a PostgreSQL of their own
	WAYBILL_TEST_DATABASE=postgres $(GO) test -count=1 -timeout 30m ./store
	WAYBILL_TEST_DATABASE=postgres $(GO) test -count=1 -timeout 30m ./internal/sandbox \
		-run 'TestEveryStoryHappensOnTheWholeProgram/each/$(STORIES)'

lint: ## gofmt, go vet, staticcheck, and the import arrows
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "not gofmt-ed:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags nosandbox ./cmd/waybill
	$(GO) vet -tags record ./internal/githubsim/record/... ./internal/slacksim/record/...
	$(GO) tool staticcheck ./...
	$(GO) tool staticcheck -tags nosandbox ./cmd/waybill
	$(GO) test -run 'TestImport' ./internal/arrows

BENCHTIME ?= 1s
bench: ## measure for BENCHTIME each; SHORT=-short makes less data; docs/performance.md says what the numbers mean
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) -benchmem $(SHORT) -timeout 30m ./...

PROMOTIONS ?= 1000000
bench-size: ## measure a database of PROMOTIONS promotions against one of a thousand; making a million takes minutes
	WAYBILL_PROMOTIONS=$(PROMOTIONS) $(GO) test -run '^$$' -bench BenchmarkSize -benchtime 100x -timeout 120m ./store

vulncheck: ## look for known vulnerabilities in what the program reaches; the database comes from the module proxy
	@GO=$(GO) .ci/vulncheck

FUZZTIME ?= 10s
fuzz: ## fuzz every parser of foreign bytes for FUZZTIME each
	@set -e; grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r f; do \
		for t in $$(grep -oE '^func Fuzz[A-Za-z0-9_]*' $$f | cut -c6-); do \
			echo "== $$(dirname $$f) $$t"; $(GO) test -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$(dirname $$f); \
		done; done

PART ?= 1/1
mutants: ## break one rule of PART after the other; the stories, the tests or the torture must notice
	$(GO) run ./internal/mutants -part $(PART)

mutants-all: ## invert one comparison at a time in promotion/ and list what no test notices
	$(GO) run ./internal/mutants ./promotion

SEEDS ?= 100000
SEED ?= 1
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
# Processes with one processor each play half as many histories again as threads of one process do.
torture: ## play SEEDS random histories of the whole program, from seed SEED on, in JOBS processes
	@set -e; play=$$(mktemp); trap 'rm -f '$$play EXIT; $(GO) test -c -o $$play ./internal/torture; cd internal/torture; \
	each=$$((($(SEEDS) + $(JOBS) - 1) / $(JOBS))); all=; broken=0; \
	for n in $$(seq 0 $$(($(JOBS) - 1))); do \
		GOMAXPROCS=1 WAYBILL_WORKERS=1 WAYBILL_SEEDS=$$each WAYBILL_SEED=$$(($(SEED) + n * each)) $$play -test.timeout 600m -test.run 'TestTortureNothingBreaks$$' -test.v & all="$$all $$!"; \
	done; \
	for one in $$all; do wait $$one || broken=1; done; exit $$broken

KILLS ?= 100
FAULTS ?= 60
torture-process: ## kill the real process KILLS times, fill its disk, stop it, set its clock; FAULTS of three on PostgreSQL
	WAYBILL_KILLS=$(KILLS) WAYBILL_FAULTS=$(FAULTS) $(GO) test -count=1 -timeout 60m -v ./internal/sandbox \
		-run 'Test(Kill|AFullDisk|ADatabase|ASecond|AProcess|AClock|AnHour|Servers)'

# The part of the mutants is another one each day.
long: ## once a release: 20,000 histories, kills of the real process, a moment of fuzzing, and a tenth of the mutants
	$(MAKE) torture SEEDS=20000
	$(MAKE) fuzz FUZZTIME=2s
	$(MAKE) torture-process
	$(MAKE) mutants PART=$$((10#$$(date +%j) % 10 + 1))/10

docs: ## write the generated parts of docs/ anew
	$(GO) test ./promotion/decide -run TestStateMatrix -update
	$(GO) test ./promotion/command -run TestTheDescriptionOfTheCommands -update
	$(GO) test ./promotion -run TestTheDescriptionOfTheEffects -update
	$(GO) test ./promotion/say -run TestThePageOnTrouble -update
	$(GO) test ./internal/sandbox -run TestTheDescriptionOfTheAPI -update-docs
	$(GO) test ./app/setup -run TestTheSlackManifest -update-manifest
	$(GO) test ./config -run TestTheReferenceOfThePipelineFile -update
	$(GO) test ./app/loop -run TestTheListOfWhatIsKept -update-docs
	$(GO) test ./app/gh -run TestTheListOfRefusals -update-docs
	$(GO) test ./app/health -run TestThePageOnGitHub -update-docs
	$(GO) test ./app/env -run TestThePageOnMetrics -update-docs

.PHONY: help build build-server release module run test test-postgres lint bench bench-size vulncheck fuzz mutants mutants-all torture torture-process long docs
