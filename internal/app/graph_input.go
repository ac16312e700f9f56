package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// A GraphInput is a graph as callers send it: a document, a tool or {nodes} as an
// object or as text, or the handle of a draft.
type GraphInput struct {
	Graph json.RawMessage `json:"graph,omitempty" flag:"-" jsonschema:"{nodes: […]} as YAML or JSON text, or a draft handle"`
	Tool  string          `json:"tool,omitempty" jsonschema:"which tool of a document"`

	// Text, Name and Trusted are set by callers that read the operator's own files.
	Text    string `json:"-"` // of the file; Graph is not read then
	Name    string `json:"-"`
	Trusted bool   `json:"-"`
}

// FromText is the input of a text that was read from a file.
func FromText(name, text, tool string) GraphInput {
	return GraphInput{Text: text, Tool: tool, Name: name, Trusted: true}
}

func (in *GraphInput) empty() bool { return len(in.Graph) == 0 && in.Text == "" && !in.Trusted }

// source is a graph's text and how it came.
type source struct {
	name    string
	text    string
	object  bool // the caller sent an object, not text
	trusted bool
	looked  bool // it is only looked at: it may call tools of servers that are not trusted
}

// source reads what a caller sent as graph.
func (a *App) source(ctx context.Context, in GraphInput) (*source, *diag.Fault) {
	s := &source{name: cmp.Or(in.Name, "graph"), text: in.Text, trusted: in.Trusted}
	b := bytes.TrimSpace(in.Graph)
	switch {
	case in.Text != "" || in.Trusted && len(b) == 0:
	case len(b) == 0 || string(b) == "null":
		return nil, diag.BadArgument("/graph", "send {nodes: […]}, a whole document, its text, or a draft handle", "the call has no graph")
	case b[0] == '"':
		if err := json.Unmarshal(b, &s.text); err != nil {
			return nil, diag.BadArgument("/graph", "", "the graph's text cannot be read: %v", err)
		}
	case b[0] == '[':
		s.text, s.object = `{"nodes":`+string(b)+`}`, true
	default:
		s.text, s.object = string(b), true
	}
	if handle := strings.TrimSpace(s.text); strings.HasPrefix(handle, draftPrefix) {
		return a.authoring.drafts.get(actor(ctx).Principal, handle)
	}
	return s, nil
}

// checked is a graph that was compiled.
type checked struct {
	source *source
	doc    *graph.Document // nil after a syntax error
	plan   *engine.Plan    // nil when there are errors
	plans  []*engine.Plan  // of every tool
	found  diag.List
	err    error // why the check was not finished: its context has ended
}

// cancelled is the fault of a check that was not finished, or the one there is.
func (c *checked) cancelled(fault *diag.Fault) *diag.Fault {
	if fault == nil && c.err != nil {
		return &diag.Fault{Code: diag.CodeCancelled, Message: "the request was cancelled", Err: c.err}
	}
	return fault
}

// check parses and compiles a graph in its turn. Without a tool's name every tool is
// compiled, and plan is the plan of the only one.
func (a *App) check(ctx context.Context, s *source, tool string) (c *checked, fault *diag.Fault) {
	fault = a.compute(ctx, s.toCheck(), func(ctx context.Context) {
		env := a.env(ctx, !s.trusted)
		tools := env.Tools.(*toolResolver)
		tools.lists, tools.looked = true, s.looked
		c = checkIn(ctx, env, s, tool)
	})
	fault = c.cancelled(fault)
	return c, fault
}

// checkIn is check with what the engine may ask.
func checkIn(ctx context.Context, env engine.Env, s *source, tool string) *checked {
	doc, found, err := graph.ParseContext(ctx, s.name, s.text)
	c := &checked{source: s, doc: doc, found: found, err: err}
	if doc == nil {
		return c
	}
	var more diag.List
	if tool != "" {
		plan, found, err := engine.CompileContext(ctx, doc, tool, env)
		c.plans, more, c.err = []*engine.Plan{plan}, found, err
	} else {
		c.plans, more, c.err = engine.CompileAllContext(ctx, doc, env)
	}
	if c.err != nil {
		return &checked{source: s, err: c.err}
	}
	if len(c.plans) == 1 {
		c.plan = c.plans[0]
	}
	c.found = append(c.found, more...)
	c.found = c.found.Sort()
	if c.found.HasErrors() {
		c.plan, c.plans = nil, nil
	}
	return c
}

// checkedWhole is the size in bytes below which the check of a graph to be run does not
// stop for a cancellation: a run that is cancelled before its first step is a run.
const checkedWhole = 64 << 10

// one compiles the tool of a graph that is meant, in its turn.
func (a *App) one(ctx context.Context, s *source, tool string) (c *checked, fault *diag.Fault) {
	fault = a.compute(ctx, s.toCheck(), func(ctx context.Context) {
		until := ctx
		if len(s.text) < checkedWhole {
			until = context.WithoutCancel(ctx)
		}
		c = oneIn(until, a.env(ctx, !s.trusted), s, tool)
	})
	fault = c.cancelled(fault)
	return c, fault
}

// oneIn is one with what the engine may ask.
func oneIn(ctx context.Context, env engine.Env, s *source, tool string) *checked {
	c := checkIn(ctx, env, s, tool)
	if c.plan == nil && c.err == nil && !c.found.HasErrors() {
		_, more := engine.Compile(c.doc, tool, env)
		c.found = more
	}
	return c
}

// runnable refuses what a graph may have while it is checked, and may not have when
// it runs or is saved: placeholders.
func (c *checked) runnable() {
	if c.plan == nil {
		return
	}
	if unfilled := c.plan.Unfilled(); len(unfilled) > 0 {
		c.found, c.plan = append(c.found, unfilled...).Sort(), nil
	}
}

// maxShown is how many diagnostics a reply carries.
const maxShown = 50

// shown prepares diagnostics for a reply: at most fifty, without places in a text
// that the caller never saw.
func (s *source) shown(l diag.List) (list diag.List, more int) {
	list = make(diag.List, 0, min(len(l), maxShown))
	for _, d := range l[:min(len(l), maxShown)] {
		d = bounded(d)
		if s.object {
			plain := *d
			plain.Range = diag.Range{}
			plain.Related = nil
			for _, r := range d.Related {
				r.Range = diag.Range{}
				plain.Related = append(plain.Related, r)
			}
			d = &plain
		}
		list = append(list, d)
	}
	return list, len(l) - len(list)
}
