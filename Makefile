.PHONY: all build snapshot release packages release-test workflows cross install test race fuzz fuzz-jsonata bench crash torture outages calls temporal s3 e2e generate additions lint fmt formatted vuln check size npm ui ui-test screenshots clean help
FUZZTIME ?= 60s
TORTURETIME ?= 10m
# Only the race detector needs cgo; one setting for the rest lets builds and tests share a cache.
export CGO_ENABLED = 0
# The race detector lets a process wait a second at its end, and tests start hundreds.
RACE = CGO_ENABLED=1 GORACE=atexit_sleep_ms=0
TOOL = go tool -modfile=$(CURDIR)/tools/lint/go.mod
LINT = $(TOOL) golangci-lint run
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.16.0
# Runs a command and prints how many seconds it took.
STEP = .ci/step

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14
all: build test lint ## build, test, lint
build: ## build the binary
	go build -o patchbay ./cmd/patchbay
snapshot: ## build what a release has for all systems into dist and build, without images, and check it
	$(MAKE) release RELEASE=--snapshot
release: ## the same for the tag of this commit; .ci/publish publishes it
	rm -rf build
	$(GORELEASER) release --clean --timeout 3h --skip=publish,announce $(RELEASE)
	go run ./tools/packaging index -version "$$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' dist/metadata.json)"
	go test ./tools/packaging -run '^TestSnapshot' -count 1 -snapshot "$(CURDIR)"
packages: ## build the packages of this system into build, install each and run the demo from it
	go run ./tools/packaging host -version 0.0.0-snapshot
	go test ./tools/packaging -run '^Test(Installed|Built)' -count 1 -packages "$(CURDIR)/build"
release-test: packages ## also measure how long it takes from nothing but Node.js to a saved graph
	go test ./tools/packaging -run '^TestFromNothing' -count 1 -v -stopwatch -packages "$(CURDIR)/build"
workflows: ## check .goreleaser.yaml and .github/workflows
	$(GORELEASER) check
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
cross: ## check the types of everything for Windows and macOS, which takes a tenth of the time of a build
	go run ./tools/crosscheck windows darwin
install: ## install the binary into GOBIN
	go install ./cmd/patchbay
npm: ## install the npm MCP servers that tests use
	cd testdata/npm && npm ci --no-audit --no-fund
ui: ## check and build the web UI into ui/dist and ui/dist-app, which are committed
	cd ui/app && npm ci --no-audit --no-fund && npm run -s check && npm run -s test && npm run -s build
ui-test: build ## test the web UI in Chromium, which has to be installed
	cd ui/app && npx playwright test --config e2e/playwright.config.ts
screenshots: build ## take the pictures of docs/ui.md in Chromium again
	cd ui/app && npm run -s screenshots
test: ## run the tests
	go test ./...
race: ## run the tests under the race detector
	$(RACE) go test -race ./...
fuzz: ## fuzz every target for FUZZTIME
	@grep -roE '^func Fuzz[A-Za-z]+' --include='*_test.go' . | sed 's/:func / /' | while read -r file target; do \
		echo "$$(dirname $$file) $$target"; \
		go test $$(dirname $$file) -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x || exit 1; \
	done
fuzz-jsonata: ## compare random expressions with jsonata on Node, for an hour
	PATCHBAY_FUZZ_JSONATA=$(or $(FUZZJSONATATIME),1h) go test ./jsonata -run '^TestDifferential$$' -count 1 -v -timeout 3h
bench: ## run the benchmarks: read CPU time as the minimum of five, and allocations
	go test ./... -run '^$$' -bench . -benchmem -count 5
crash: ## kill runs 50 times at random moments, and resume them; stop runs at every event, and resume them
	go test ./internal/cli -run '^TestCrash' -count 1 -v -crash.kills=50 -crash.seed=$$(date +%s)
	go test ./tools/exact -run '^TestResumedRunsAreExact' -count 1 -exact.every -timeout 2h
torture: ## attack a server for TORTURETIME on a quiet machine, and write the figures into docs/measured/reliability.md
	go test ./tools/torture -count 1 -v -timeout 1h -torture.for=$(TORTURETIME) -torture.slack=1 -torture.write
outages: ## kill, hang, flood, change and restart servers for two minutes, and write the figures into docs/measured/reliability.md
	go test ./tools/outages -count 1 -v -timeout 20m -servers.for=2m -servers.write
calls: ## make 100,000 calls of a tool through a graph, and see that the memory of the server stays the same
	go test ./internal/cli -run '^TestMemoryOfManyCalls$$' -count 1 -v -timeout 1h -memory.calls=100000
temporal: ## build, lint (which vets) and test what runs graphs on Temporal, a Go module of its own
	cd temporal && go mod tidy -diff && go build ./... && $(LINT) ./... && go test -vet=off ./...
s3: ## test the store of large values in a bucket of versitygw, an S3 server, which takes minutes to build
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && GOBIN=$$dir go install github.com/versity/versitygw/cmd/versitygw@v1.8.0 && \
		cd temporal && go test ./blobs -run '^TestServer' -count 1 -v -s3.server="$$dir/versitygw"
e2e: ## lint the tests that kill a Temporal server and workers of runs, and cut their connection; run them, and write docs/measured/temporal.md: it takes minutes to build
	cd temporal/e2e && $(LINT) ./... && go test -vet=off -count 1 -v -timeout 30m -e2e.write .
generate: ## rewrite the reference and the golden files: by the tests in files that import internal/tests/golden, without what is measured
	files=$$(git grep -l 'internal/tests/golden"' -- '*_test.go' ':!internal/tests/golden' ':!tools/value' ':!imports_test.go'); \
	go test $$(dirname $$files | sort -u | sed 's|^|./|') -run "^($$(grep -ho '^func Test[A-Za-z0-9_]*' $$files | cut -d' ' -f2 | paste -sd'|' -))$$" -update
	go run ./tools/gendocs
additions: ## make each addition of docs/adding.md in a copy, and run the tests that compare the parts there; delete each feature in another, and build the rest
	go test -tags additions ./tools/adding -run '^Test(Additions|Deletions)$$' -count 1 -timeout 1h
lint: ## run the linters
	$(LINT) ./...
fmt: ## format
	$(TOOL) golangci-lint fmt ./...
vuln: ## known vulnerabilities
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
formatted:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "not formatted: make fmt"; exit 1; }
check: ## what CI runs besides cross: format, modules, lint (which vets), build without cgo, and each test once, under the race detector where goroutines are started
	@$(STEP) format $(MAKE) -s formatted
	@$(STEP) modules go mod tidy -diff
	@$(STEP) "modules of the example" go -C examples/library mod tidy -diff
	@$(STEP) lint $(MAKE) -s lint
	@$(STEP) build $(MAKE) -s build
	@packages=$$(.ci/packages plain) && $(STEP) tests .ci/untouched go test -vet=off $$packages
	@packages=$$(.ci/packages raced) && $(RACE) $(STEP) race .ci/untouched go test -vet=off -race -short $$packages
	@packages=$$(.ci/packages cut) && $(STEP) "tests without race" .ci/untouched go test -vet=off -run "$$(.ci/packages left-out)" $$packages
	@packages=$$(.ci/packages tried) && $(RACE) $(STEP) "race of tests" .ci/untouched go test -vet=off -race -short -run "$$(.ci/packages concurrent)" $$packages
size: ## print how many lines, tokens and comments the product has
	go run ./tools/size
clean: ## remove what was built
	rm -rf patchbay dist build
