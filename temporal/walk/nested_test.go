package walk_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A nested graph of thousands of nodes executes in the workflow of its run, which continues
// as a new execution in the middle of it, and makes each call once.
func TestLargeNestedGraph(t *testing.T) {
	const nodes, calls = 5000, 1250
	var inner strings.Builder
	fmt.Fprintf(&inner, "name: inner\nexecutionLimits: {maxNodeExecutions: 100000}\nnodes:\n  - {id: entry, type: entry, next: n0}\n")
	for i := range nodes {
		next := fmt.Sprintf("n%d", i+1)
		if i == nodes-1 {
			next = "exit"
		}
		if i%(nodes/calls) == 0 {
			fmt.Fprintf(&inner, "  - {id: n%d, type: mcp, server: s, tool: put, args: {n: %d}, next: %s}\n", i, i, next)
		} else {
			fmt.Fprintf(&inner, "  - {id: n%d, type: transform, transform: {expr: '%d'}, next: %s}\n", i, i, next)
		}
	}
	fmt.Fprintf(&inner, "  - {id: exit, type: exit}\n")
	s := &site{}
	graphs := []wire.Graph{{Name: "inner", Tool: wire.Tool{Tool: "inner"}, Source: run.Source{Name: "inner", Text: inner.String(), Tool: "inner", Trusted: true}}}
	text := strings.Replace(graphOf("call", "{id: call, type: graph, graph: inner, args: {}, next: exit}"), "executionLimits: {", "executionLimits: {maxNodeExecutions: 100000, ", 1)
	in := inputOf(t, graphOf("exit"), s)
	in.Pinned.Tools, in.Pinned.Graphs, in.Record.Source.Text = []wire.Tool{{Server: "s", Tool: "put"}}, graphs, text
	in.Record.Options.Limits.MaxNodeExecutions = 100_000
	executions := 0
	for {
		e := newTrial(t, graphOf("exit"), s, &walk.Options{Blobs: &shelf{}})
		e.in = in
		rec, next := e.once()
		if executions++; next != nil {
			in = *next
			continue
		}
		result(t, rec, strconv.Itoa(nodes-1))
		break
	}
	if keys := s.calls(); len(keys) != calls || len(slices.Compact(keys)) != calls {
		t.Errorf("%d calls", len(keys))
	}
	if executions < 3 {
		t.Errorf("%d executions of the workflow", executions)
	}
}
