package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// What the cases of tests may call.
const (
	callsReadOnly = "read-only"
	callsAny      = "any"
)

type readOnlyKey struct{}

// onlyReading returns a context whose runs call only tools that are known to be
// read-only.
func onlyReading(ctx context.Context) context.Context {
	return context.WithValue(ctx, readOnlyKey{}, true)
}

// readOnlyCaller passes on only calls of tools known, by trusted annotations, to change
// nothing, and refuses others.
type readOnlyCaller struct {
	next  run.Caller
	tools engine.Tools
}

// CallTool implements [run.Caller].
func (o *readOnlyCaller) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	called := c.Server + "/" + c.Tool
	if c.Server == run.HTTPServer {
		called = "a request"
	} else if tool, fault := o.tools.Tool(c.Server, c.Tool); fault != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
	} else if tool.Spec.Annotations.IsReadOnly() {
		return o.next.CallTool(ctx, c)
	}
	f := diag.Faultf("needs-pin", "a test calls only tools that are known to be read-only, which %s is not", called)
	f.Hint = "give its output in pins or given; or write calls: any in the case if calling it does no harm"
	return nil, &run.CallError{Outcome: run.CallNotSent, Err: f}
}
