package execution

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// LiveCalls makes the calls of a replay that change nothing.
type LiveCalls struct {
	Execution *Execution
	Server    string // the only one that is called
	pins      graphfiles.Pins
	Made      atomic.Int64
}

// Live reports whether a call of a tool is made: it is known to be read-only, by each
// definition that is known of it.
func (l *LiveCalls) Live(server, tool string) bool {
	if server != l.Server || l.Execution.policy.Denial(server, tool) != nil {
		return false
	}
	known := l.Execution.servers.Hub.Known(server, tool, l.pins[server+"/"+tool].Definition)
	return len(known) > 0 && !slices.ContainsFunc(known, func(t *downstream.Tool) bool { return !t.Annotations.IsReadOnly() })
}

// CallTool implements [run.Caller].
func (l *LiveCalls) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	l.Made.Add(1)
	return l.Execution.servers.Hub.TryTool(ctx, c)
}
