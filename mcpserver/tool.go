package mcpserver

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/app/arguments"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// failing is a result that may say that what was asked was not done.
type failing interface{ Failed() bool }

// asking is a result that may want to know something of the person at the client.
type asking interface{ asks() *mcp.CallToolResult }

// rendering is a result with a form for people.
type rendering interface{ Text() string }

// addTool publishes an operation. Arguments are read leniently (JSON as text where
// an object, a list, a number or a boolean is meant), the result goes out byte for
// byte as it was encoded, and every failure has the one error shape.
func addTool(s *mcp.Server, pb *app.App, states states, o app.Operation) {
	in := arguments.InputSchema(o)
	d := &arguments.Decoder{Schema: in, Fields: arguments.Fields(o)}
	s.AddTool(&mcp.Tool{
		Name: o.Tool, Title: o.Title, Description: o.Description, InputSchema: in, Meta: loadedAtOnce(o.Sought),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: o.Hints.ReadOnly, IdempotentHint: o.Hints.Idempotent, DestructiveHint: &o.Hints.Destructive, OpenWorldHint: &o.Hints.OpenWorld},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a, err := newAsker(pb, states, req)
		if err != nil {
			return nil, err
		}
		ctx, end := withProgress(ctx, req)
		defer end()
		in := o.NewInput()
		if fault := d.Decode(req.Params.Arguments, in); fault != nil {
			return toolResult(ctx, map[string]any{"error": fault}, true)
		}
		ctx, offer := offered(ctx)
		out, fault := call(ctx, pb, o, in, a)
		if fault != nil {
			return toolResult(ctx, map[string]any{"error": fault}, true)
		}
		if a, asks := out.(asking); asks && a.asks() != nil {
			return a.asks(), nil
		}
		offer.take(in, out)
		return newReply(ctx, out)
	})
}

// maxFixedGraph is how many bytes of a corrected graph a reply has; a longer one is read by
// its draft handle.
const maxFixedGraph = 400

// newReply encodes the result of an operation.
func newReply(ctx context.Context, out any) (*mcp.CallToolResult, error) {
	if v, ok := out.(*author.ValidateResult); ok && v.Draft != "" { // has the text that the agent sent, and get_graph reads it
		if v.Rendered = ""; len(v.FixedGraph) > maxFixedGraph {
			v.FixedGraph = nil
		}
	}
	f, ok := out.(failing)
	if isCode, _ := ctx.Value(codeKey{}).(bool); !isCode {
		out = glimpse(out)
	}
	res, err := toolResult(ctx, out, ok && f.Failed())
	if err == nil {
		err = carry(ctx, res, out)
	}
	if r, renders := out.(rendering); renders && err == nil && r.Text() != "" {
		res.Content = append(res.Content, &mcp.TextContent{Text: cutText(hintLine.ReplaceAllStringFunc(r.Text(), readerFrom(ctx).text), maxRendered)})
	}
	return res, err
}

// call does an operation. One that runs a graph puts the questions of the run to the
// person at the client.
func call(ctx context.Context, pb *app.App, o app.Operation, in any, a asker) (any, *diag.Fault) {
	if node, ok := in.(*execution.RunNodeInput); ok {
		return callNode(ctx, pb, *node, a)
	}
	if o.Result() != reflect.TypeFor[execution.RunResult]() {
		return o.Call(ctx, pb, in)
	}
	if run, ok := in.(*execution.RunInput); ok {
		a.trace = run.Trace
	}
	out, fault := a.converse(ctx, func() (*execution.RunResult, *diag.Fault) {
		out, fault := o.Call(ctx, pb, in)
		r, _ := out.(*execution.RunResult)
		return r, fault
	})
	if fault != nil {
		return nil, fault
	}
	return out, nil
}

// callNode runs a node, and puts the questions of its run to the person at the client.
func callNode(ctx context.Context, pb *app.App, in execution.RunNodeInput, a asker) (any, *diag.Fault) {
	var first *execution.RunNodeResult
	c, fault := a.converse(ctx, func() (*execution.RunResult, *diag.Fault) {
		r, fault := pb.RunNode(ctx, in)
		if fault != nil {
			return nil, fault
		}
		first = r
		return &execution.RunResult{RunID: r.RunID, Status: r.Status, Asks: r.Asks}, nil
	})
	switch {
	case fault != nil:
		return nil, fault
	case c.required != nil:
		return c, nil
	case first != nil && len(first.Asks) == 0, c.RunID == "":
		return first, nil
	}
	out, fault := pb.Tasks.NodeRunState(ctx, c.RunID, in.ShapeOnly)
	if fault != nil {
		return nil, fault
	}
	return out, nil
}

// toolResult encodes a result as structured content and as the same JSON in text, as [bounded]
// returns it.
func toolResult(ctx context.Context, v any, failed bool) (*mcp.CallToolResult, error) {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return nil, err
	}
	b = bounded(ctx, b)
	return &mcp.CallToolResult{IsError: failed, StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, nil
}
