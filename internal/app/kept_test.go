package app_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// growing is a graph that keeps texts of so many bytes.
func growing(times, bytes int) execution.RunInput {
	return execution.RunInput{Trace: "none", GraphInput: plans.GraphInput{Graph: text(fmt.Sprintf(`
nodes:
  - {id: entry, type: entry, next: grow}
  - {id: grow, type: transform, transform: {expr: '$pad("x", %d)'}, foreach: {items: {expr: '[1..%d]'}}, next: count}
  - {id: count, type: transform, transform: {expr: $count($.grow)}, next: exit}
  - {id: exit, type: exit}
`, bytes, times))}}
}

// TestRunsWaitForMemory: many runs that keep more than all may keep together finish one
// after the other, and small ones among them.
func TestRunsWaitForMemory(t *testing.T) {
	const memory = 64 << 20
	var pb *app.App
	var mu sync.Mutex
	var peak int64
	pb = overWith(t, app.Options{Memory: memory, OnEvent: func(run.Notice) {
		kept := pb.Load().Runs.Kept
		mu.Lock()
		defer mu.Unlock()
		peak = max(peak, kept)
	}}, nil)
	var wg sync.WaitGroup
	finishes := func(times, bytes int) {
		wg.Go(func() {
			r, fault := pb.Run(t.Context(), growing(times, bytes))
			if fault != nil || r.Error != nil || string(r.Result) != strconv.Itoa(times) {
				t.Errorf("%d times %d bytes: %+v, %v", times, bytes, r, fault)
			}
		})
	}
	for range 12 {
		finishes(10, 1<<20)
		finishes(3, 1000)
		finishes(3, 1000)
	}
	wg.Wait()
	if peak > memory/2 || peak < 10<<20 {
		t.Errorf("runs kept %d MiB at the same time, want at most %d, and what one keeps at least", peak>>20, memory/2>>20)
	}
	if l := pb.Load().Runs; l.Kept != 0 || l.Waiting != 0 {
		t.Errorf("in use at the end: %+v", l)
	}
}

// TestARunThatKeepsTooMuch ends, and says which setting bounds it, whatever the graph
// does about failures.
func TestARunThatKeepsTooMuch(t *testing.T) {
	pb := overWith(t, app.Options{Memory: 64 << 20}, nil)
	in := growing(40, 1<<20)
	in.Graph = json.RawMessage(strings.Replace(string(in.Graph), "foreach: {", "onError: count, foreach: {onItemError: continue, ", 1))
	r, fault := pb.Run(t.Context(), in)
	if fault != nil || r.Status != string(run.Failed) || r.Error == nil || r.Error.Code != "too-much-memory" || r.Error.Node != "grow" {
		t.Fatalf("%+v, %v, want too-much-memory", r, fault)
	}
	for _, want := range []string{"inputs and outputs", "32 MiB", "limits.memoryMB"} {
		if !strings.Contains(r.Error.Message, want) {
			t.Errorf("message %q does not name %s", r.Error.Message, want)
		}
	}
	if l := pb.Load().Runs; l.Kept != 0 {
		t.Errorf("in use at the end: %+v", l)
	}
}
