# Spillway: a script runner. `make help` lists what it does.
# Needed: Go 1.26, Node.js 20 with npm; everything else is fetched or named.

SHELL  := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
GOROOT := $(shell go env GOROOT)
WASM   := PATH="$(GOROOT)/lib/wasm:$$PATH" GOOS=js GOARCH=wasm
OUT    := build/out
# No folder in what is compiled: clones, and tests beside checks, share the compiler's cache.
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath)
# Hand-written Go files; generated ones end in _gen.go.
SOURCES = find . -name '*.go' ! -name '*_gen.go' ! -path '*/node_modules/*' ! -path './dist/*'
LINT = out="$$($(1) || [ $$? = 1 ])"; out="$$(awk '/^[^\t]/ { skip = /_gen\.go:/ } !skip' <<<"$$out")"; [ -z "$$out" ] || { echo "$$out"; exit 1; }
# Packages with files for the browser only: of the others a tool that looks at the text
# would see the same as natively.
BROWSER = ./wasm/... $$(find sim traces ui -name '*_js.go' | sed 's,^,./,; s,/[^/]*$$,,' | sort -u)

# What a person reads, and with JUNIT=FILE what build/suites does.
REPORTERS = --test-reporter=spec --test-reporter-destination=stdout $(if $(JUNIT),--test-reporter=junit --test-reporter-destination=$(JUNIT))

.PHONY: help run build offline dist release generate test rest full quick nightly times mutants suites site test-native test-builds test-wasm test-outsider test-scripts test-browser test-firefox test-edge load-edge test-slurm test-parallel test-kubernetes test-python test-capture edge native \
	server harness check check-generated check-vet check-fix check-static check-format check-dead check-law check-tidy \
	fix bench profile golden fuzz clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-15s %s\n", $$1, $$2}'

run: build server ## build everything and serve it on this machine; prints the address
	@exec $(OUT)/serve

build: generate ## assemble the site in dist/
	@echo "Building the page, the laboratories' programs and the site around them, a minute or two the first time ..."
	go run ./build/site

offline: generate ## the same, and what needs no host: build/out/spillway.html, one file with everything, and a zip of the site
	@echo "Building the page, the laboratories' programs, the site around them, its zip and the single file, a minute or two ..."
	go run ./build/site -offline

dist: generate ## offline, with compressed copies and the single file in dist/, ready for any file host; ORIGIN=https://... adds oEmbed and cards
	@echo "Building the page, the laboratories' programs, the site around them and the compressed copies. Compressing takes longest, the first time five to twenty minutes; what has not changed since is kept ..."
	go run ./build/site -compress $(if $(ORIGIN),-origin $(ORIGIN))

release: ## everything that a release has, in build/out/release, made twice and compared byte for byte; half an hour. ARGS="-once -platforms linux/amd64" for less
	@go run ./build/release $(ARGS)

generate: ## Go from .vugu; SPILLWAY_GENERATED=1: it is there, and others read it just now
	@if [ -z "$${SPILLWAY_GENERATED:-}" ] && ls ui/view/*.vugu >/dev/null 2>&1; then echo 'Translating ui/view/*.vugu to Go ...'; go generate ./ui/view; fi
	@if [ -e ui/view/0_missing_gen.go ]; then cat ui/view/0_missing_gen.go; echo 'ui/view: a .vugu file has no Go type of its name (see above): declare it, delete ui/view/0_missing_gen.go'; exit 1; fi

test: suites ## checks, all packages natively, WebAssembly where it matters, scripts, the page in Chromium: minutes
	@$(OUT)/suites test

rest: suites ## what test leaves out of what a change must pass: the other browser tests, frameworks, Firefox, workerd, the documents' examples
	@$(OUT)/suites rest

full: suites ## both
	@$(OUT)/suites full

quick: suites ## the part of it that what you changed can reach; BASE=COMMIT to compare with another than where the branch began, STOP=1 to end at the first failure
	@$(OUT)/suites $(if $(BASE),-base $(BASE)) $(if $(STOP),-stop) quick

nightly: suites ## make full without leaving anything out, and fuzzing; hours
	@$(OUT)/suites nightly

times: suites ## what the last runs took: suites, packages, tests, by wall and processor time
	@$(OUT)/suites times

mutants: suites ## put forty faults into a copy, one after the other, and see that make quick finds each; NAMES="..." only these
	@$(OUT)/suites mutants $(NAMES)

suites: # the program that runs the tests
	@go build -trimpath -o $(OUT)/suites ./build/suites

test-native: suites ## go test alone
	@$(OUT)/suites -only test-native full

test-builds: suites ## go test of packages whose tests compile programs
	@$(OUT)/suites -only test-builds full

test-wasm: suites ## the tests whose arithmetic or platform matters, as WebAssembly under Node; -short
	@$(OUT)/suites -only test-wasm full

test-outsider: suites ## the examples of the documents in a copy of the repository, whole
	@$(OUT)/suites -only test-outsider full

# What the tests in browsers look at, built anew if its sources differ; make test leaves out -offline.
SITE ?= -offline
site: generate server native harness
	@go run ./build/site $(SITE) -if-changed
	@go build -o $(OUT)/jobs ./build/e2e/jobs

test-browser: site ## the page in Chromium; ARGS="tests/llm.spec.mjs" as for Playwright
	@CHROMIUM="$$(node build/e2e/chromium.mjs)" && export CHROMIUM && cd build/e2e && node node_modules/@playwright/test/cli.js test $(ARGS)

test-firefox: site ## the page in Firefox, briefly; installs firefox-esr when root
	FIREFOX="$$(node build/e2e/firefox.mjs)" && export FIREFOX && cd build/e2e && { [ -z "$$FIREFOX" ] || node --test --test-force-exit $(REPORTERS) firefox/*.test.mjs; }

test-scripts: ## the page's own scripts, without a browser
	cd build/e2e && node --test $(REPORTERS) unit/*.test.mjs

test-edge: site edge ## the optional host in workerd
	cd build/e2e && node --test --test-force-exit $(REPORTERS) edge/*.test.mjs

load-edge: site edge ## 30 000 requests to the optional host, in workerd: no error, no memory that grows on and on; ten minutes
	cd build/e2e && node load/edge.mjs

test-slurm: native ## the recipe for Slurm, on a cluster of one node that it starts; installs slurm-wlm when root
	build/recipes/slurm/test.sh $(OUT)/spillway

test-parallel: native ## the recipe for GNU parallel; installs it when root
	build/recipes/parallel/test.sh $(OUT)/spillway

test-kubernetes: native ## the manifests for Kubernetes, without a cluster
	build/recipes/kubernetes/test.sh $(OUT)/spillway

test-python: native ## spillway.py with the command; tables and the widget where pandas and ipywidgets are, PYTHON=a python3 that has them
	@mkdir -p $(OUT)/python
	@GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags "-s -w" -o $(OUT)/python/spillway.wasm ./build/spillway && cp "$(GOROOT)/lib/wasm/wasm_exec.js" $(OUT)/python/
	SPILLWAY=$(CURDIR)/$(OUT)/spillway SPILLWAY_PROGRAM=$(CURDIR)/$(OUT)/python $(or $(PYTHON),python3) build/python/test_spillway.py

test-capture: ## capture.py with a real PyTorch on the CPU; installs python3-torch when root, or PYTHON=a python3 that has it
	PYTHON='$(PYTHON)' build/capture/test.sh

native: # the command
	go build -trimpath -buildvcs=false -ldflags "-X main.sources=$$(go run ./build/sources)" -o $(OUT)/spillway ./build/spillway

edge: ## the optional host's worker in build/worker/
	go tool workers-assets-gen -mode=go -o build/worker
	GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$$(sed -n 's/.*id="version">\([^<]*\)<.*/\1/p' dist/index.html 2>/dev/null)" -o build/worker/app.wasm ./wasm/edge
	sed "s/^const VERSION = ''/const VERSION = '$$(sed -n 's/.*id="version">\([^<]*\)<.*/\1/p' dist/index.html 2>/dev/null)'/" wasm/edge/entry.mjs > build/worker/entry.mjs

server:
	go build -o $(OUT)/serve ./build/serve

harness: # what the browser tests need: Playwright, and the frameworks that <spill-figure> is tried in
	@command -v node >/dev/null && command -v npm >/dev/null || { echo 'The browser tests need Node.js 20 or newer with npm.'; exit 1; }
	@cd build/e2e && { cmp -s package-lock.json node_modules/.installed-lock.json \
		|| { echo 'Fetching what the browser tests need (npm ci) ...'; npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && cp package-lock.json node_modules/.installed-lock.json; }; }
	@cd build && { [ -d node_modules/react ] && cmp -s package-lock.json node_modules/.installed-lock.json \
		|| { npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && cp package-lock.json node_modules/.installed-lock.json; }; }

check: check-generated check-vet check-fix check-static check-format check-dead check-law check-tidy ## all that can be judged without running the program; make -k check goes on after a finding

check-generated:
	@before="$$(cat ui/view/*_gen.go 2>/dev/null || true)"; SPILLWAY_GENERATED= $(MAKE) --no-print-directory generate && \
		[ -z "$$before" ] || [ "$$before" = "$$(cat ui/view/*_gen.go)" ] || { echo 'ui/view/*_gen.go was not what the .vugu files say; it is now: commit it'; exit 1; }

check-vet:
	go vet ./...
	GOOS=js GOARCH=wasm go vet $(BROWSER)

check-fix:
	go fix -diff ./...
	GOOS=js GOARCH=wasm go fix -diff $(BROWSER)

check-static: # without what it says about generated code
	@echo staticcheck; $(call LINT,$$(go tool -n staticcheck) ./...)
	@$(call LINT,GOOS=js GOARCH=wasm $$(go tool -n staticcheck) $(BROWSER))

check-format:
	@echo gofumpt; files="$$($(SOURCES) -exec $$(go tool -n gofumpt) -l {} +)"; [ -z "$$files" ] || { echo "not formatted, make fix does it:" $$files; exit 1; }

fix: ## let go fix and gofumpt repair what they can
	go fix ./...
	GOOS=js GOARCH=wasm go fix $(BROWSER)
	$(SOURCES) -exec $$(go tool -n gofumpt) -w {} +

check-dead:
	@go run ./build/site -sources
	go run ./build/deadcode

check-law:
	go test ./build/arch

check-tidy:
	go mod tidy -diff

BENCH := -run '^$$' -bench . -benchmem -cpu 1 -benchtime $(or $(TIME),200ms) -count $(or $(COUNT),6)
# In every recipe below: the folders of the test files that have what is asked for.
WITH = $$(grep -rlE --include='*_test.go' --exclude-dir=node_modules --exclude-dir=dist $(1) . | sed 's,/[^/]*$$,,' | sort -u)

# IN=./sim/compress/buddy measures one folder, without Chromium. Node has the engine of Chromium's tabs.
bench: $(if $(IN),,build server harness) ## measure natively and as WebAssembly, under Node (one table of both) and in Chromium; IN=FOLDER one folder
	@mkdir -p $(OUT)
	@echo 'Measuring natively ($(OUT)/bench-native.txt) ...'; go test $(BENCH) $(or $(IN),$(call WITH,'^func Benchmark')) > $(OUT)/bench-native.txt || { cat $(OUT)/bench-native.txt; exit 1; }
	@echo 'and as WebAssembly under Node ($(OUT)/bench-wasm.txt) ...'; $(WASM) go test -pgo=$(CURDIR)/wasm/worker/default.pgo $(BENCH) $(or $(IN),$(call WITH,'^func Benchmark')) > $(OUT)/bench-wasm.txt || { cat $(OUT)/bench-wasm.txt; exit 1; }
	@go tool benchstat -ignore goos,goarch,cpu native=$(OUT)/bench-native.txt wasm=$(OUT)/bench-wasm.txt
	@$(if $(IN),true,BENCH=1 $(MAKE) --no-print-directory test-browser ARGS=tests/speed.spec.mjs)

profile: ## measure what the laboratories' programs are compiled for: wasm/worker/default.pgo
	go test -trimpath -run "^$$" -bench Reproduce -benchtime 10x -cpuprofile $(CURDIR)/wasm/worker/default.pgo -o $(OUT)/profiled.test ./ui/lab/train

golden: generate ## rewrite the golden files and list those that changed; then read git diff and say why
	@status=0; SPILLWAY_EFFORT=nightly go test $(call WITH,'flag\.Bool..update|"spillway/build/golden"') -update || status=$$?; git --no-pager diff --stat; exit $$status

fuzz: generate ## every fuzz test for TIME each (default 30s) or RUNS executions; FLOOR=1000 are the least, IN="sim ui" only those in these folders
	@go run ./build/fuzz $(if $(TIME),-time $(TIME)) $(if $(RUNS),-runs $(RUNS)) $(if $(FLOOR),-floor $(FLOOR)) $(or $(IN),build sim traces ui wasm)

clean: ## remove what was built
	rm -rf dist $(OUT) build/worker
