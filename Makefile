# Spillway: a script runner. `make help` lists what it does.
# Needed: Go 1.26, Node.js 20 with npm; everything else is fetched or named.

GOROOT := $(shell go env GOROOT)
WASM   := PATH="$(GOROOT)/lib/wasm:$$PATH" GOOS=js GOARCH=wasm
TOOL    = $$(go tool -n $(1))
OUT    := build/out
# Packages whose tests run natively and, the same, as WebAssembly under Node.
BOTH   := ./sim/... ./traces/... ./ui/...

.PHONY: help run build dist generate test test-native test-wasm test-browser test-edge \
	harness check bench golden fuzz clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-13s %s\n", $$1, $$2}'

run: build ## build everything and serve it on this machine; prints the address
	@mkdir -p $(OUT) && go build -o $(OUT)/serve ./build/serve && exec $(OUT)/serve

build: generate ## assemble the site in dist/
	go run ./build/site

dist: generate ## the same with compressed copies, ready for any file host
	go run ./build/site -compress

generate: ## Go from .vugu
	@if ls ui/*.vugu >/dev/null 2>&1; then go generate ./ui; fi
	@if [ -e ui/0_missing_gen.go ]; then cat ui/0_missing_gen.go; echo 'ui: a .vugu file has no Go type of its name (see above): declare it, delete ui/0_missing_gen.go'; exit 1; fi

test: test-native test-wasm test-browser test-edge ## all tests: native, WebAssembly, browser, workerd

test-native: generate ## go test
	go test ./...

test-wasm: generate ## the same tests of sim, traces and ui as WebAssembly under Node
	$(WASM) go test $(BOTH)

test-browser: build harness ## the page in Chromium
	CHROMIUM="$$(node build/e2e/chromium.mjs)" && export CHROMIUM && cd build/e2e && npx --no-install playwright test $(ARGS)

test-edge: build edge harness ## the optional host in workerd
	cd build/e2e && node --test --test-force-exit --test-reporter=spec edge/

edge: ## the optional host's worker in build/worker/
	go tool workers-assets-gen -mode=go -o build/worker
	GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags '-s -w' -o build/worker/app.wasm ./wasm/edge

harness:
	@command -v node >/dev/null && command -v npm >/dev/null || { echo 'The browser tests need Node.js 20 or newer with npm.'; exit 1; }
	@cd build/e2e && { cmp -s package-lock.json node_modules/.installed-lock.json \
		|| { npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && cp package-lock.json node_modules/.installed-lock.json; }; }
