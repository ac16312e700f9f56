package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// sleepy is a downstream whose every tool takes d.
func sleepy(d time.Duration) run.Caller {
	return callerFunc(func(context.Context, run.Call) (*run.Result, error) {
		time.Sleep(d)
		return &run.Result{Structured: json.RawMessage(`{"ok":true}`)}, nil
	})
}

// BenchmarkParallel is the wall time of 16 branches of a tool that takes 10 ms.
func BenchmarkParallel(b *testing.B) {
	var src strings.Builder
	names := make([]string, 16)
	src.WriteString("nodes:\n  - {id: entry, type: entry, next: fork}\n")
	for i := range names {
		names[i] = fmt.Sprintf("b%d", i)
		fmt.Fprintf(&src, "  - {id: b%d, type: mcp, server: s, tool: t, next: exit}\n", i)
	}
	fmt.Fprintf(&src, "  - {id: fork, type: parallel, branches: [%s], join: exit}\n  - {id: exit, type: exit}\n", strings.Join(names, ", "))
	plan := compile(b, src.String(), engine.Env{})
	caller := sleepy(10 * time.Millisecond)
	for b.Loop() {
		local.Run(b.Context(), plan, caller, nil, local.Options{})
	}
}

// BenchmarkForeach is a foreach of 1,000 items over a tool that takes 1 ms.
func BenchmarkForeach(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("concurrency=%d", n), func(b *testing.B) {
			limits := run.Limits{MaxNodeExecutions: 2000}
			plan := compile(b, "executionLimits: {maxNodeExecutions: 2000}\n"+fmt.Sprintf(`nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: s, tool: t, args: {i: {expr: $item}}, foreach: {items: {expr: '[1..1000]'}, concurrency: %d}, next: exit}
  - {id: exit, type: exit}
`, n), engine.Env{Limits: limits})
			caller := sleepy(time.Millisecond)
			for b.Loop() {
				if rec := local.Run(b.Context(), plan, caller, nil, local.Options{Options: run.Options{Limits: limits}}); rec.Fault != nil {
					b.Fatal(rec.Fault)
				}
			}
		})
	}
}
