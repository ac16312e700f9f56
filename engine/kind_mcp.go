package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    specs.MCP,
		Title:       "MCP tool",
		Description: "Calls a tool of a downstream MCP server. Its output is the tool's structured content, else the JSON or text of its only content item. A search finds the tools; each has a skeleton to copy.",
		Tags:        []string{"tool", "call", "server", "action"},
		Intents:     []string{"call a tool", "use an MCP server", "invoke an external tool", "run a downstream tool", "do something outside the graph", "run every item through a tool", "call a tool for each item of a list"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", Description: "what the tool answered", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"call","type":"mcp","server":"<server>","tool":"<tool>","args":{},"next":"exit"}`),
	},
	CallsTool:   true,
	ActsOutside: true,
	Evidence:    []string{"server", "tool"},
	Aliases:     strings.Fields("mcp-tool tool tool_call mcp_call call action mcp_server call_tool toolcall tool_use invoke task mcpnode"),
	Guide:       GuideRow{Fields: "server, tool, args, trusted, next", Output: "what the tool returned: structured content, else its JSON or text"},
	Fields: []Field{
		{Name: "server", Type: "string", Required: true, Doc: "server: <name of the downstream server>", Aliases: strings.Fields("serverName server_name mcpServer mcp_server provider service")},
		{Name: "tool", Type: "string", Required: true, Doc: "tool: <name of the tool on that server>", Aliases: strings.Fields("toolName tool_name name function method action operation subtype")},
		{Name: "args", Type: "object", Doc: "args: {<argument>: <literal> or {expr: <JSONata>}}", Aliases: strings.Fields("parameters arguments params input inputs with config arg toolArgs tool_args toolInput tool_input payload data")},
		trustedField,
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	RecoverKey: looseArgs,
	Modifiers:  AllModifiers,
	Compile: func(p *Pass, n *Node) Compiled {
		edges := p.Next(n)
		n.tool, n.trusted = p.callee(n), p.trusted(n)
		p.warnDeprecated(n, n.tool)
		p.noteDestructive(n, n.tool)
		p.noteContentList(n, n.tool)
		args := p.args(n)
		p.checkArgs(n, n.tool, args)
		c := &toolCall{server: n.callee.server, tool: n.callee.tool, args: args, next: edges[0].To}
		return Compiled{Edges: edges, Step: c.step, Call: c.call, NotRepeatableBecause: onceNote(n.tool), Infer: func(t *Types) types.Type {
			t.checkArguments(n.tool, args)
			return n.tool.outputType()
		}}
	},
})

// onceNote says why a tool must not be called twice for one step, if so.
func onceNote(t *Tool) string {
	if t != nil && t.Spec.Annotations.MayRepeat() {
		return ""
	}
	return "its tool is not known, by trusted annotations, to be read-only or idempotent"
}

// toolCall is a compiled call.
type toolCall struct {
	server, tool string
	args         *Template
	next         NodeIndex
}

// call evaluates the arguments.
func (c *toolCall) call(ctx context.Context, s *State) (run.Call, expr.Value, error) {
	value, err := c.args.Eval(ctx, s)
	if err != nil {
		return run.Call{}, nil, err
	}
	if fault := placeArgs.fault(value); fault != nil {
		return run.Call{}, value, fault
	}
	args, err := expr.Encode(value)
	if err != nil {
		return run.Call{}, value, diag.Faultf(codeNotJSON, "the arguments are not JSON: %w", err)
	}
	if value == nil {
		args = []byte("{}")
	}
	return run.Call{Server: c.server, Tool: c.tool, Args: args}, value, nil
}

func (c *toolCall) step(ctx context.Context, s *State) (Outcome, error) {
	call, value, err := c.call(ctx, s)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Input: value, Next: c.next}
	res, err := s.Call(ctx, call)
	if err != nil {
		return out, err
	}
	if res.IsError {
		return out, c.failed(res)
	}
	if out.Output, err = s.unwrap(ctx, res); err != nil && ctx.Err() == nil {
		return out, diag.Faultf(diag.CodeBadResult, "the result of %s/%s cannot be read: %w", c.server, c.tool, err).WithHint("this is an error in the server")
	}
	return out, err
}

var CodeToolFailed = diag.DefineFault("tool-failed", diag.FailsAttempt, "a tool answered with an error", "read the message and the node's input (`runs show --node`), correct the arguments, or handle it with `onError`")

// failed turns a tool's own error reply into a fault that shows what was sent.
func (c *toolCall) failed(res *run.Result) *diag.Fault {
	text := cmp.Or(plainText(res), "the tool failed without saying why")
	f := diag.Faultf(CodeToolFailed, "%s/%s answered with an error: %s", c.server, c.tool, diag.Cut(text, 1000))
	if details, err := Unwrap(res); err == nil {
		f.Details = details
	}
	f.Hint = fmt.Sprintf("check the arguments against get_node_details {\"nodes\": [{\"id\": \"mcp:%s/%s\"}]}", c.server, c.tool)
	return f
}

func plainText(res *run.Result) string {
	var parts []string
	for _, item := range res.Content {
		var c struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(item, &c) == nil && c.Text != "" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// Unwrap turns a tool's reply into a node's output: structured content if there
// is any; else one text item's JSON value, or its text when it is not JSON; else
// the one content item; else a list of those; nothing is undefined.
func Unwrap(res *run.Result) (expr.Value, error) { return unwrap(context.Background(), res) }

// unwrap is Unwrap that ends when ctx does, with its cause.
func unwrap(ctx context.Context, res *run.Result) (expr.Value, error) {
	if len(res.Structured) > 0 && string(res.Structured) != "null" {
		return expr.DecodeContext(ctx, res.Structured)
	}
	outputs := make([]any, 0, len(res.Content))
	for _, item := range res.Content {
		v, err := contentItem(ctx, item)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, v)
	}
	switch len(outputs) {
	case 0:
		return nil, nil
	case 1:
		return outputs[0], nil
	}
	return outputs, nil
}

func contentItem(ctx context.Context, item json.RawMessage) (expr.Value, error) {
	var c struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(item, &c); err != nil {
		return nil, fmt.Errorf("the tool's content cannot be read: %w", err)
	}
	if c.Type != "text" {
		return expr.DecodeContext(ctx, item)
	}
	if begin := strings.TrimLeft(c.Text, " \t\r\n"); begin == "" || strings.IndexByte(`{["-0123456789tfn`, begin[0]) < 0 {
		return c.Text, nil // a large one is not copied to see that it is not JSON
	}
	v, err := expr.DecodeContext(ctx, []byte(c.Text))
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return c.Text, nil
}
