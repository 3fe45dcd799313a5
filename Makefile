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
