// Package reply has what replies show of runs and tools: traces, differences, types and
// content blocks.
package reply

import (
	"cmp"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
)

// CalleeName names a tool as server/tool, and a saved graph as graph:name.
func CalleeName(c *drafting.Callee) string {
	if c.Server == "" {
		return "graph:" + c.Tool
	}
	return c.Server + "/" + c.Tool
}

// DraftCallee is what a node calls, with what is known of its results.
func DraftCallee(server, name string, tool *engine.Tool) *drafting.Callee {
	c := &drafting.Callee{Server: server, Tool: name, Input: tool.Input, Output: tool.Output, Declared: tool.Output != nil}
	c.Output = cmp.Or(c.Output, tool.Observed)
	return c
}

// CallsSize is about how many bytes calls have.
func CallsSize(calls []drafting.Call) int64 {
	var n int64
	for i := range calls {
		n += int64(expr.Size(calls[i].Result, 1<<30)) + int64(expr.Size(calls[i].Arguments, 1<<30))
	}
	return n
}

// StatusRejected is the status of a graph with faults, which did not run.
const StatusRejected = "rejected"

// Milliseconds rounds a duration to microseconds.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// FirstLine joins a description's first paragraph to one line.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	return diag.OneLine(s)
}

// MaxParameters is how many parameters of a tool are shown.
const MaxParameters = 100
