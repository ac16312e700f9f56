package engine

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "hook",
		Title:       "Hook",
		Description: "Looks at the context of a workflow, and may change its request or response or stop the call. hook is {expr: <JSONata over $context>}, {script: <JavaScript>} or {module: <name>}. It returns nothing, {request: …}, {response: …}, or {continue: false, error: {code, message}}. With blocking: false it runs beside the call and changes nothing.",
		Tags:        []string{"workflow", "filter", "redact", "block", "policy", "middleware", "javascript"},
		Intents:     []string{"change requests before they reach a server", "redact answers of servers", "block requests by a policy", "audit log of requests", "hide tools from a client", "run JavaScript around requests"},
		InputPorts:  []specs.Port{{Name: "input", Type: "object", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "the context; one output leads on to the end, the others are detached; none with blocking: false"}},
		Skeleton:    json.RawMessage(`{"id":"check","type":"hook","hook":{"expr":"$context.request.params.name = \"delete\" ? {\"continue\": false, \"error\": {\"code\": \"FORBIDDEN\", \"message\": \"not allowed\"}}"},"next":"call"}`),
		Examples: []specs.Example{{
			Title: "Change the response",
			Graph: `name: quiet
description: Answers in lower case
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: call}
  - {id: call, type: mcp-call, next: quiet}
  - id: quiet
    type: hook
    hook: {expr: '{"response": $merge([$context.response, {"content": [$context.response.content.{"type": "text", "text": $lowercase(text)}]}])}'}
    next: end
  - {id: end, type: end}
`,
			Arguments: passOn.Arguments,
			Pins:      map[string]json.RawMessage{"call": json.RawMessage(`{"response":{"content":[{"type":"text","text":"HELLO"}]}}`)},
			Result:    json.RawMessage(`{"content":[{"type":"text","text":"hello"}]}`),
		}},
	},
	InWorkflow: true,
	Detaches:   true,
	Evidence:   []string{"hook"},
	Aliases:    strings.Fields("script javascript-hook intercept interceptor middleware"),
	Fields: []Field{
		{Name: "hook", Type: "object", Required: true, Doc: "hook: {expr: <JSONata>}, {script: <JavaScript>} or {module: <name of a hook module>}"},
		{Name: "blocking", Type: "boolean", Doc: "false: the hook runs beside, on a copy, and has no next (default true)", Aliases: []string{"wait", "sync"}},
		{Name: "timeoutMs", Type: "number", Doc: "milliseconds that the hook may take (default 5000)", Aliases: []string{"timeout", "limitMs"}},
		{Name: "next", Type: "node-id", Edges: true, Doc: "id of the node that follows; required of a blocking hook", Aliases: nextAliases},
		detachField,
	},
	Recover: severalNext,
	Compile: compileHook,
})

var (
	ruleHookShape = diag.Define("hook-shape", diag.Error,
		"The hook of a hook node is not {expr: …}, {script: …} or {module: …}, a script is empty or longer than 1 MB, or a hook that runs beside has a next.")
	ruleScript = diag.Define("bad-script", diag.Error,
		"The JavaScript of a hook cannot be executed. The message says why, and the position is exact.")
	ruleUnknownModule = diag.Define("unknown-hook-module", diag.Error,
		"No hook module has this name.")
)

// MaxScript is how many bytes the script of a hook may have.
const MaxScript = 1 << 20

// HookTimeout is how long a hook may take that does not say.
const HookTimeout = 5 * time.Second

// hookNode is a compiled hook.
type hookNode struct {
	id       string
	expr     *Expr
	script   string
	module   string
	timeout  time.Duration
	blocking bool
	next     NodeIndex
}

func compileHook(p *Pass, n *Node) Compiled {
	h := &hookNode{id: n.ID, blocking: true, next: NoNode, timeout: HookTimeout}
	if v := n.Field("blocking"); v.Is(graph.Boolean) {
		h.blocking = string(raw(v)) == "true"
	} else if v.Exists() {
		p.Report(ruleHookShape, v, n, "blocking is %s, expected true or false", shape(v))
	}
	h.timeout = time.Duration(p.whole(n, n.Field("timeoutMs"), "timeoutMs", HookTimeout.Milliseconds(), 1, 600_000)) * time.Millisecond
	var edges []Edge
	switch {
	case h.blocking:
		edges = p.outputs(n)
		h.next = edges[0].To
	case n.Next.Exists() || n.DetachList.Exists():
		v := firstExisting(n.Next, n.DetachList)
		p.Report(ruleHookShape, memberKey(v), n, "%q has blocking: false, so nothing follows it", n.ID).
			Offer(v.Remove("remove " + v.Name()))
	}
	h.read(p, n)
	c := Compiled{Edges: edges, Pure: h.expr != nil, Context: h.blocking, Last: !h.blocking, Step: h.step}
	if h.blocking {
		c.Infer = func(t *Types) types.Type {
			w := t.pass.plan.workflow
			return w.contextType(true).Or(w.contextType(false))
		}
	}
	if h.expr == nil {
		c.Call = h.call
	}
	return c
}

// read reads what the hook executes.
func (h *hookNode) read(p *Pass, n *Node) {
	v := p.Require(n, "hook")
	if !v.Exists() {
		return
	}
	code, module, x := v.Get("script"), v.Get("module"), v.Get("expr")
	given := 0
	for _, form := range []graph.Value{code, module, x} {
		if form.Exists() {
			given++
		}
	}
	if !v.Is(graph.Object) || given != 1 {
		p.Report(ruleHookShape, v, n, "hook has %d of expr, script and module, expected one", given).Hint = n.Kind.field("hook").Doc
		return
	}
	p.readKeys(v, "hook", n, []string{"expr", "script", "module", "id"}, foreignWords["hook"])
	switch {
	case x.Exists():
		n.variables = append(n.variables, contextVariable)
		h.expr = p.Expr(n, x)
	case code.Exists():
		h.script = code.Text()
		p.checkScript(n, code)
	default:
		h.module = module.Text()
		p.checkModule(n, module)
	}
}

func (p *Pass) checkScript(n *Node, v graph.Value) {
	switch text := v.Text(); {
	case !v.Is(graph.String):
		p.Report(ruleHookShape, v, n, "script is %s, expected JavaScript", shape(v))
	case strings.TrimSpace(text) == "":
		p.Report(ruleHookShape, v, n, "the script is empty")
	case len(text) > MaxScript:
		p.Report(ruleHookShape, v, n, "the script has %d bytes, at most %d are allowed", len(text), MaxScript).Hint = "move what is common into hook modules"
	case p.env.Hooks != nil:
		for _, f := range p.env.Hooks.CheckScript(text) {
			p.reportAt(ruleScript, v, v.Within(f.Start, f.End), n, "%s", f.Message)
		}
	}
}

func (p *Pass) checkModule(n *Node, v graph.Value) {
	if !v.Is(graph.String) || v.Text() == "" {
		p.Report(ruleHookShape, v, n, "module is %s, expected the name of a hook module", shape(v))
		return
	}
	if p.env.Hooks == nil {
		return
	}
	modules := p.env.Hooks.Modules()
	for _, name := range modules {
		if name == v.Text() {
			if why := p.env.Hooks.ModuleFault(name); why != "" {
				p.Report(ruleScript, v, n, "the hook module %q cannot be executed: %s", name, why)
			}
			return
		}
	}
	p.suggest(p.Report(ruleUnknownModule, v, n, "there is no hook module %s", diag.Quote(diag.Excerpt(v.Text()))), v, modules)
}

func (h *hookNode) step(ctx context.Context, s *State) (Outcome, error) {
	out := Outcome{Next: h.next}
	seen, err := s.contextAt()
	if err != nil {
		return out, err
	}
	returned, left, err := h.execute(ctx, s, seen)
	if err != nil {
		return out, err
	}
	if !h.blocking {
		out.Output = returned
		return out, nil
	}
	out.Output, err = h.settle(s, left, returned)
	return out, err
}

// execute returns what the hook has returned, and the context as it has left it.
func (h *hookNode) execute(ctx context.Context, s *State, seen expr.Object) (returned expr.Value, left expr.Object, err error) {
	if h.expr == nil {
		return h.runScript(ctx, s, seen)
	}
	ctx, cancel := s.rt.Deadline(ctx, h.timeout, h.failure(CodeTimeout, h.timeout.String()+" are over"))
	defer cancel()
	s.scope.Bind(contextVariable, seen)
	returned, err = h.expr.Eval(ctx, s)
	if err != nil && !run.Parked(err) {
		f := run.AsFault(err)
		code := CodeScriptError
		if f.Code == "timeout" || f.Code == codeHookFailed {
			code = CodeTimeout
		}
		err = h.failure(code, f.Message)
	}
	return returned, s.context.value, err
}

// call is the execution of a script.
func (h *hookNode) call(_ context.Context, s *State) (run.Call, expr.Value, error) {
	seen, err := s.contextAt()
	if err != nil {
		return run.Call{}, nil, err
	}
	args, tool := expr.NewObject(), s.step.Node
	if h.module != "" {
		tool = h.module
		args.Set("module", h.module)
	} else {
		args.Set("script", h.script)
	}
	args.Set("context", seen)
	args.Set("timeoutMs", float64(h.timeout.Milliseconds()))
	b, err := expr.Encode(args)
	if err != nil {
		return run.Call{}, nil, diag.Faultf(codeNotJSON, "the context is not JSON: %w", err)
	}
	return run.Call{Server: run.HookServer, Tool: tool, Args: b}, nil, nil
}

func (h *hookNode) runScript(ctx context.Context, s *State, seen expr.Object) (returned expr.Value, left expr.Object, err error) {
	c, _, err := h.call(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	res, err := s.Call(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	v, err := s.unwrap(ctx, res)
	if err != nil {
		return nil, nil, err
	}
	answer, ok := v.(expr.Object)
	if !ok {
		return nil, nil, h.failure(CodeScriptError, "the script has no result")
	}
	if res.IsError {
		return nil, nil, h.failure(expr.TextAt(answer, "code"), expr.TextAt(answer, "message"))
	}
	returned, _ = answer.Get("returned")
	if left, ok = objectAt(answer, "context"); !ok {
		left = seen
	}
	return returned, left, nil
}
