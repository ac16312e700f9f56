package runs

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// A CallReport is what is reported of a call that a run has made: neither what was sent
// nor what was answered.
type CallReport struct {
	Run, Graph, Principal string
	Step, Node            string
	Server, Tool          string
	Outcome               string // ok, tool-failed, or the code of the fault
	Took                  time.Duration
	Sent, Received        int // bytes of the arguments and of the result
}

// watchedCaller makes the calls of one run in spans of their own, inside those of their
// steps, and reports them.
type watchedCaller struct {
	next     run.Caller
	observer *observer
	report   func(context.Context, CallReport) // nil reports nothing
}

// CallTool implements [run.Caller].
func (c *watchedCaller) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	var span oteltrace.Span
	if s := c.observer.spans; s != nil {
		ctx, span = s.call(ctx, &call)
	}
	began := time.Now()
	res, err := c.next.CallTool(ctx, call)
	if span == nil && (c.report == nil || res != nil && res.Simulated != "") {
		return res, err
	}
	outcome := callOutcome(res, err)
	if span != nil {
		if outcome != CallOK {
			span.SetStatus(codes.Error, outcome)
		}
		span.SetAttributes(attribute.String("patchbay.outcome", outcome), attribute.Int("patchbay.request_bytes", len(call.Args)), attribute.Int("patchbay.reply_bytes", resultSize(res)))
		span.End()
	}
	if c.report != nil && (res == nil || res.Simulated == "") {
		o := c.observer
		c.report(ctx, CallReport{
			Run: o.run, Graph: o.graph, Principal: o.principal, Step: call.Key, Node: keyNode(call.Key), Server: call.Server, Tool: call.Tool,
			Outcome: outcome, Took: time.Since(began), Sent: len(call.Args), Received: resultSize(res),
		})
	}
	return res, err
}

// CallOK is the outcome of a call that was answered.
const CallOK = "ok"

func callOutcome(res *run.Result, err error) string {
	switch {
	case err == nil && res != nil && res.IsError:
		return engine.CodeToolFailed
	case err == nil:
		return CallOK
	}
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f.Code
	}
	return diag.CodeCallFailed
}

// resultSize is how many bytes a result has.
func resultSize(res *run.Result) int {
	if res == nil {
		return 0
	}
	if res.Raw != nil {
		return len(res.Raw)
	}
	n := len(res.Structured)
	for _, c := range res.Content {
		n += len(c)
	}
	return n
}

// keyNode returns the node that makes the call with a key: that of "loop#3/read#0[2]/call"
// is read.
func keyNode(key string) string {
	for key != "" {
		at := strings.LastIndexByte(key, '/')
		if node, _, ok := strings.Cut(key[at+1:], "#"); ok && node != "" {
			return node
		}
		key = key[:max(at, 0)]
	}
	return ""
}
