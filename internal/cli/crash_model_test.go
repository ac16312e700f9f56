package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/modeltest"
	"github.com/patchbay-mcp/patchbay/run"
)

// crashModelGraph asks a model about items; the first reply about the fifth cannot be used.
const crashModelGraph = `
name: asks
nodes:
  - {id: entry, type: entry, next: each}
  - id: each
    type: model
    model: fast
    prompt: {expr: '"run %[1]d item " & $item & "."'}
    schema: {type: object, properties: {n: {type: number}}, required: [n]}
    foreach: {items: {expr: '[1..8]'}, concurrency: 4}
    next: all
  - {id: all, type: model, model: fast, prompt: run %[1]d item 9., schema: {type: object, properties: {n: {type: number}}, required: [n]}, next: exit}
  - {id: exit, type: exit, result: {expr: $sum($.each.n) + $.all.n}}
`

var crashItem = regexp.MustCompile(`^run (\d+) item (\d)\.`)

// TestCrashOfModels kills patchbay while it asks a model, before and after it has the replies, and
// continues: a request in doubt is a question, and none is sent a second time unless the endpoint
// did not get the first.
func TestCrashOfModels(t *testing.T) {
	watch := watchCalls(t)
	endpoint := &modeltest.Endpoint{Answer: func(_ int, r modeltest.Request) modeltest.Reply {
		item, arrives := crashItem.FindStringSubmatch(r.Prompt)[2], make(chan struct{})
		go func() {
			watch.mu.Lock()
			defer watch.mu.Unlock()
			watch.called(func() { close(arrives) })
		}()
		reply := modeltest.Reply{Text: `{"n":` + item + `}`, In: 10, Out: 5, Hang: arrives}
		if item == "5" && !strings.Contains(r.Prompt, "cannot be used") {
			reply.Text = `{}`
		}
		return reply
	}}
	server := httptest.NewServer(endpoint)
	t.Cleanup(server.Close)
	s := newCrashSite(t, "")
	s.configure("models: {fast: {api: openai, url: " + server.URL + "/v1, model: m}}\n")
	c := &crashes{crashSite: s, moments: rand.New(rand.NewPCG(*crashSeed, 2)), left: *crashKills} //nolint:gosec // to be repeated
	runs := 0
	c.fresh = func() {
		runs++
		if err := os.WriteFile(s.graph, fmt.Appendf(nil, crashModelGraph, runs), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.came = func(_, step string) (results []json.RawMessage) {
		item := byte('9')
		if in, of, ok := strings.Cut(step, "["); ok && in == "each#0" {
			item = of[0] + 1
		}
		for _, r := range endpoint.Requests() {
			if strings.HasPrefix(r.Prompt, fmt.Sprintf("run %d item %c.", runs, item)) {
				results = append(results, json.RawMessage(`{"n":`+string(item)+`}`))
			}
		}
		return results
	}
	c.untilDone(watch, func(rec *run.Record) {
		if got := resultText(rec); got != "45" {
			t.Errorf("%s: %s", rec.ID, got)
		}
	})
	asked := map[string]int{}
	for _, r := range endpoint.Requests() {
		if asked[r.Prompt]++; asked[r.Prompt] == 2 {
			t.Errorf("asked twice: %s", r.Prompt)
		}
	}
	t.Logf("%d runs, %d requests", runs, len(endpoint.Requests()))
}
