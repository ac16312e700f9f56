package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

// DryRun returns a caller that passes on only calls of tools known, by trusted
// annotations, to change nothing. The result of any other tool is made from its
// output schema, and says so; so is the answer of every request.
func DryRun(next run.Caller, tools engine.Tools) run.Caller {
	return &dryCaller{next: next, tools: tools}
}

type dryCaller struct {
	next  run.Caller
	tools engine.Tools
}

var CodeNeedsPin = diag.DefineFault("needs-pin", diag.FailsNode, "a dry run cannot make up the output of a node, or a test would call a tool that is not known to be read-only", "pin the output: `--pin NODE=JSON`, or `pins` in the test")

func (d *dryCaller) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	switch c.Server {
	case run.HTTPServer:
		return dryAnswer(c)
	case run.ModelServer:
		sample := json.RawMessage(`"…"`)
		if c.Answer != nil {
			sample = schema.Sample(c.Answer.Root())
		}
		return &run.Result{Structured: sample, Simulated: "schema"}, nil
	}
	tool, fault := d.tools.Tool(c.Server, c.Tool)
	if fault != nil {
		return notCalled(fault)
	}
	if tool.Spec.Annotations.IsReadOnly() && d.next != nil {
		return d.next.CallTool(ctx, c)
	}
	if tool.Output == nil {
		return notCalled(&diag.Fault{
			Code:    CodeNeedsPin,
			Message: fmt.Sprintf("dry_run does not call %s/%s, which is not known to be read-only and has no output schema to generate a value from", c.Server, c.Tool),
			Hint:    "give its output in pins: {<node id>: <output>}",
		})
	}
	return &run.Result{Structured: schema.Sample(tool.Output.Root()), Simulated: "schema"}, nil
}

func notCalled(fault *diag.Fault) (*run.Result, error) {
	return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
}

// dryAnswer makes the answer of a request from the schema that its node declares.
// No request is made, whatever its method: the server of a URL is not known to
// keep to what methods mean.
func dryAnswer(c run.Call) (*run.Result, error) {
	if c.Answer == nil {
		return notCalled(&diag.Fault{
			Code:    CodeNeedsPin,
			Message: "dry_run makes no requests, and the node has no responseSchema to generate an answer from",
			Hint:    "give its output in pins: {<node id>: {status: 200, headers: {}, body: …}}, or add responseSchema",
		})
	}
	answer := fmt.Appendf(nil, `{"status":200,"headers":{},"body":%s}`, schema.Sample(c.Answer.Root()))
	return &run.Result{Structured: answer, Simulated: "schema"}, nil
}
