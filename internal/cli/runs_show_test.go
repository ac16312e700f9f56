package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/reply"
)

// TestTimeline: each step of a run has a bar for when it was executed, the items of a
// foreach too, and how often it was tried.
func TestTimeline(t *testing.T) {
	var out bytes.Buffer
	printRecord(&term.Page{Writer: &out}, &execution.GetRunResult{RunID: "run_1", Graph: "send", Status: "failed", Started: "2026-01-02T15:04:05.000Z", DurationMs: 400, NodeExecutions: 3, Trace: []reply.TraceStep{
		{Node: "list", Index: 0, Ms: 100, Output: json.RawMessage("[1]")},
		{Node: "send", Index: 1, StartMs: 100, Ms: 300, Error: "no", Attempts: 3},
		{Node: "send", Key: "send#0[0]", Index: 2, StartMs: 200, Ms: 100, Simulated: "pin"},
	}})
	want := `run_1  send  failed
started 2026-01-02T15:04:05.000Z, 400.000 ms, 3 node executions
   0  list                       100.000 ms  |==========                              |  -> [1]
   1  send                       300.000 ms  |          ==============================|  failed: no  (3 attempts)
   2  send#0[0]                  100.000 ms  |                    ==========          |  (from the pin)
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, strings.TrimSpace(want))
	}
}
