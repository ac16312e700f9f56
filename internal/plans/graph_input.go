package plans

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/request"
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

// Empty reports whether an input has no graph.
func (in *GraphInput) Empty() bool { return len(in.Graph) == 0 && in.Text == "" && !in.Trusted }

// Source is a graph's text and how it came.
type Source struct {
	Name    string
	Text    string
	Object  bool // the caller sent an object, not text
	Trusted bool
	Looked  bool  // it is only looked at: it may call tools of servers that are not trusted
	Code    *Code // the function that the text was compiled from, or nil
}

// A Code is a function that was compiled to a graph.
type Code struct {
	Text    string                                     // the function
	Name    string                                     // of the tool that it is
	Graph   string                                     // the document that does the same; "" if Found has errors
	Found   diag.List                                  // what is wrong with the function
	Located func(*graph.Document, diag.List) diag.List // findings in the graph, at their places in the function
}

// Written is the text that the author wrote.
func (s *Source) Written() string {
	if s.Code != nil {
		return s.Code.Text
	}
	return s.Text
}

// Source reads what a caller sent as graph.
func (pl *Plans) Source(ctx context.Context, in GraphInput) (*Source, *diag.Fault) {
	s := &Source{Name: cmp.Or(in.Name, "graph"), Text: in.Text, Trusted: in.Trusted}
	b := bytes.TrimSpace(in.Graph)
	switch {
	case in.Text != "" || in.Trusted && len(b) == 0:
	case len(b) == 0 || string(b) == "null":
		return nil, diag.BadArgument("/graph", "send {nodes: […]}, a whole document, its text, or a draft handle", "the call has no graph")
	case b[0] == '"':
		if err := json.Unmarshal(b, &s.Text); err != nil {
			return nil, diag.BadArgument("/graph", "", "the graph's text cannot be read: %v", err)
		}
	case b[0] == '[':
		s.Text, s.Object = `{"nodes":`+string(b)+`}`, true
	default:
		s.Text, s.Object = string(b), true
	}
	if handle := strings.TrimSpace(s.Text); strings.HasPrefix(handle, DraftPrefix) {
		return pl.Drafts.Get(request.ActorFrom(ctx).Principal, handle)
	}
	if !s.Object && codein.Is(s.Text) {
		fault := pl.process.Compute(ctx, s.ToCheck(), func(ctx context.Context) {
			c := codein.Compile(s.Text, pl.Env(ctx, !s.Trusted))
			s.Code = &Code{c.Text, c.Name, c.Graph, c.Found, c.Located}
		})
		if fault != nil {
			return nil, fault
		}
		s.Text = s.Code.Graph
	}
	return s, nil
}

// Checked is a graph that was compiled.
type Checked struct {
	Source *Source
	Doc    *graph.Document // nil after a syntax error
	Plan   *engine.Plan    // nil when there are errors
	Plans  []*engine.Plan  // of every tool
	Found  diag.List
	err    error // why the check was not finished: its context has ended
}

// Cancelled is the fault of a check that was not finished, or the one there is.
func (c *Checked) Cancelled(fault *diag.Fault) *diag.Fault {
	if fault == nil && c.err != nil {
		return &diag.Fault{Code: diag.CodeCancelled, Message: "the request was cancelled", Err: c.err}
	}
	return fault
}

// Check parses and compiles a graph in its turn. Without a tool's name every tool is
// compiled, and plan is the plan of the only one.
func (pl *Plans) Check(ctx context.Context, s *Source, tool string) (c *Checked, fault *diag.Fault) {
	fault = pl.process.Compute(ctx, s.ToCheck(), func(ctx context.Context) {
		env := pl.Env(ctx, !s.Trusted)
		tools := env.Tools.(*ToolResolver)
		tools.lists, tools.looked = true, s.Looked
		c = checkIn(ctx, env, s, tool)
	})
	fault = c.Cancelled(fault)
	return c, fault
}

// checkIn is check with what the engine may ask.
func checkIn(ctx context.Context, env engine.Env, s *Source, tool string) *Checked {
	if s.Code != nil && s.Code.Found.HasErrors() {
		return &Checked{Source: s, Found: s.Code.Found}
	}
	doc, found, err := graph.ParseContext(ctx, s.Name, s.Text)
	c := &Checked{Source: s, Doc: doc, Found: found, err: err}
	if doc == nil {
		return c
	}
	var more diag.List
	if tool != "" {
		plan, found, err := engine.CompileContext(ctx, doc, tool, env)
		c.Plans, more, c.err = []*engine.Plan{plan}, found, err
	} else {
		c.Plans, more, c.err = engine.CompileAllContext(ctx, doc, env)
	}
	if c.err != nil {
		return &Checked{Source: s, err: c.err}
	}
	if len(c.Plans) == 1 {
		c.Plan = c.Plans[0]
	}
	c.Found = append(c.Found, more...)
	if s.Code != nil {
		c.Found = s.Code.Located(doc, c.Found)
	}
	if whole := doc.Whole(); whole != "" && len(c.Plans) > 1 {
		c.Choose(whole)
	}
	c.Found = c.Found.Sort()
	if c.Found.HasErrors() {
		c.Plan, c.Plans = nil, nil
	}
	return c
}

// CheckedWhole is the size in bytes below which the check of a graph to be run does not
// stop for a cancellation: a run that is cancelled before its first step is a run.
const CheckedWhole = 64 << 10

// One compiles the tool of a graph that is meant, in its turn.
func (pl *Plans) One(ctx context.Context, s *Source, tool string) (c *Checked, fault *diag.Fault) {
	fault = pl.process.Compute(ctx, s.ToCheck(), func(ctx context.Context) {
		until := ctx
		if len(s.Text) < CheckedWhole {
			until = context.WithoutCancel(ctx)
		}
		c = OneIn(until, pl.Env(ctx, !s.Trusted), s, tool)
	})
	fault = c.Cancelled(fault)
	return c, fault
}

// OneIn is one with what the engine may ask.
func OneIn(ctx context.Context, env engine.Env, s *Source, tool string) *Checked {
	c := checkIn(ctx, env, s, tool)
	if c.Plan == nil && c.err == nil && !c.Found.HasErrors() {
		_, more := engine.Compile(c.Doc, tool, env)
		c.Found = more
	}
	return c
}

// Runnable refuses what a graph may have while it is checked, and may not have when
// it runs or is saved: placeholders.
func (c *Checked) Runnable() {
	if c.Plan == nil {
		return
	}
	if unfilled := c.Plan.Unfilled(); len(unfilled) > 0 {
		c.Found, c.Plan = append(c.Found, unfilled...).Sort(), nil
	}
}

// maxShown is how many diagnostics a reply carries.
const maxShown = 50

// Shown prepares diagnostics for a reply: at most fifty, without places in a text
// that the caller never saw.
func (s *Source) Shown(l diag.List) (list diag.List, more int) {
	list = make(diag.List, 0, min(len(l), maxShown))
	for _, d := range l[:min(len(l), maxShown)] {
		d = process.Bounded(d)
		if s.Object {
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

// How many times its text the compilation of a graph may take, and some bytes.
const (
	JSONFactor = 64
	yamlFactor = 120
	CheckBase  = 1 << 20
)

// ToCheck is how many bytes of memory the compilation of a graph may take.
func (s *Source) ToCheck() int64 {
	factor := int64(yamlFactor)
	if strings.HasPrefix(strings.TrimSpace(s.Text[:min(len(s.Text), 100)]), "{") {
		factor = JSONFactor
	}
	return CheckBase + factor*int64(len(s.Text))
}

// Choose makes the plan that of the first name that a tool has, else of the first tool.
func (c *Checked) Choose(names ...string) {
	for _, name := range names {
		i := slices.IndexFunc(c.Plans, func(p *engine.Plan) bool { return p.Name == name })
		if i >= 0 && name != "" {
			c.Plan = c.Plans[i]
			return
		}
	}
	c.Plan = c.Plans[0]
}

// Missing lists what each tool lacks to be saved. The one that the file is named after
// may get its name from the call.
func (c *Checked) Missing(as string) []string {
	var missing []string
	for _, plan := range c.Plans {
		list := engine.MissingForSave(plan.Tool())
		if as != "" && plan == c.Plan && len(list) > 0 && list[0] == "name" {
			list = list[1:]
		}
		for _, what := range list {
			if plan != c.Plan {
				what = fmt.Sprintf("%s of %q", what, plan.Name)
			}
			missing = append(missing, what)
		}
	}
	return missing
}

// ToolNames lists the tools that are saved, those of a document by their own names.
func (c *Checked) ToolNames(saved string) []string {
	names := []string{saved}
	for _, plan := range c.Plans {
		if plan != c.Plan {
			names = append(names, plan.Name)
		}
	}
	return names
}

// BetterWith reports whether a fix of d leaves the graph better: an error is gone and no
// other has come, or something less is and there are no more errors. What cannot be read
// hides the faults behind it, so that there may be more of them.
func (c *Checked) BetterWith(d *diag.Diagnostic, after *Checked) bool {
	if c.Doc == nil || d.Code == "syntax" {
		return after.Doc != nil || !contains(after.Found, d)
	}
	return after.Doc != nil && (len(after.Found.With(diag.Error)) < len(c.Found.With(diag.Error)) || d.Severity != diag.Error && c.WorseThan(after))
}

// WorseThan reports whether a graph has more errors than another, or as many and more of
// what is less.
func (c *Checked) WorseThan(after *Checked) bool {
	before, now := len(c.Found.With(diag.Error)), len(after.Found.With(diag.Error))
	return now < before || now == before && len(after.Found) < len(c.Found)
}

// contains reports whether a list has the same finding.
func contains(l diag.List, d *diag.Diagnostic) bool {
	for _, x := range l {
		if x.Code == d.Code && x.Message == d.Message && x.Range == d.Range {
			return true
		}
	}
	return false
}

// Unpublishable is what clients and model APIs refuse in the tools of the graph.
func (c *Checked) Unpublishable() diag.List {
	var found diag.List
	for _, plan := range c.Plans {
		found = append(found, plan.Unpublishable()...)
	}
	return found
}
