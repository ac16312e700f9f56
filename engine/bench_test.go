package engine_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// chain is a graph of n transforms in a row.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("nodes:\n  - {id: entry, type: entry, next: n0}\n")
	for i := range n {
		next := fmt.Sprintf("n%d", i+1)
		if i == n-1 {
			next = "exit"
		}
		fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: '{\"v\": $.entry.x + %d}'}, next: %s}\n", i, i, next)
	}
	b.WriteString("  - {id: exit, type: exit}\n")
	return b.String()
}

// BenchmarkTransform is the cost of a transform node: run, and its expression
// alone, per node.
func BenchmarkTransform(b *testing.B) {
	const nodes = 500
	plan := compile(b, chain(nodes), engine.Env{})
	b.Run("node", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			local.Run(b.Context(), plan, nil, json.RawMessage(`{"x":1}`), local.Options{})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
	})
	b.Run("expression", func(b *testing.B) {
		prog, err := expr.Compile(`{"v": $.entry.x + 7}`)
		if err != nil {
			b.Fatal(err)
		}
		entry, _ := expr.Decode([]byte(`{"x":1}`))
		scope := expr.NewScope(nil, expr.Limits{})
		scope.Set("entry", entry)
		b.ReportAllocs()
		for b.Loop() {
			for range nodes {
				if _, err := prog.Eval(b.Context(), scope); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
	})
}

// BenchmarkLoop shows whether an iteration costs more as the history grows.
func BenchmarkLoop(b *testing.B) {
	plan := compile(b, "executionLimits: {maxNodeExecutions: 100000}\n"+strings.TrimPrefix(loopGraph, "\n"), engine.Env{Limits: run.Limits{MaxNodeExecutions: 100_000}})
	for _, n := range []int{100, 900} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			args := json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))
			b.ReportAllocs()
			for b.Loop() {
				rec := local.Run(b.Context(), plan, nil, args, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: 100_000}}})
				if rec.Fault != nil {
					b.Fatal(rec.Fault)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/iteration")
		})
	}
}
