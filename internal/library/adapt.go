package library

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/discover/connect"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

// template is the text of the graph to adapt: a saved one, or the first example of a node.
func (lib *Library) template(ctx context.Context, id string) (string, *diag.Fault) {
	name, saved := strings.CutPrefix(strings.TrimPrefix(id, specs.Idiom+":"+plans.TemplatePrefix), specs.Graph+":")
	if saved || name != id {
		if lib.plans.Saved == nil {
			return "", plans.NoGraphs()
		}
		fault := lib.plans.Views.GraphHidden(ctx, name)
		if fault != nil {
			return "", fault
		}
		g, _, fault := lib.plans.Saved.Find(name)
		if fault != nil {
			return "", fault
		}
		return g.Src, nil
	}
	spec, fault := lib.discover.Exact(ctx, plans.NodeRef{ID: id}, "/adapt")
	if fault != nil {
		return "", fault
	}
	for _, ex := range spec.Whole().Examples {
		if ex.Graph != "" {
			return ex.Graph, nil
		}
	}
	return "", diag.BadArgument("/adapt", "search_nodes with type_filter idiom finds graphs to adapt", "%q has no graph to adapt", spec.ID())
}

// adapt makes a draft of a graph, in which tools that are not here are replaced by tools that
// are and probably do the same. It names what is still open.
func (lib *Library) adapt(ctx context.Context, in EditInput) (*EditResult, *diag.Fault) {
	text, fault := lib.template(ctx, in.Adapt)
	if fault != nil {
		return nil, fault
	}
	doc, _ := graph.Parse("draft", text)
	if doc == nil {
		return nil, diag.BadArgument("/adapt", "get_graph returns its text", "the graph of %q cannot be read", in.Adapt)
	}
	d := &adaptation{library: lib, snap: lib.plans.Views.Snapshot(ctx)}
	if fault := lib.process.Compute(ctx, 0, func(ctx context.Context) {
		d.tools = &plans.ToolResolver{Plans: lib.plans, Ctx: ctx}
		for _, t := range doc.Tools() {
			for i := range t.Nodes {
				d.node(ctx, &t.Nodes[i], doc.Calls())
			}
		}
	}); fault != nil {
		return nil, fault
	}
	r, fault := lib.newDraft(ctx, diag.ApplyEdits(text, d.edits), d.open)
	if r != nil {
		r.Adapted = d.replaced
	}
	return r, fault
}

// An adaptation is the changes to a graph.
type adaptation struct {
	library  *Library
	snap     *catalog.Snapshot
	tools    *plans.ToolResolver
	edits    []diag.TextEdit
	replaced []string
	open     []drafting.Placeholder
}

// node replaces what a node calls, unless it is here. calls are the saved graphs that the
// document needs.
func (d *adaptation) node(ctx context.Context, n *graph.Node, calls []string) {
	server, tool, callee := n.Get("server"), n.Get("tool"), n.Get("graph").Text()
	hole := func(argument, meaning string) {
		d.open = append(d.open, drafting.Placeholder{Node: n.ID.Text(), Argument: argument, Meaning: meaning})
	}
	switch {
	case n.Type.Text() == specs.Graph && slices.Contains(calls, callee) && d.snap.Spec(specs.Graph+":"+callee) == nil:
		hole("graph", "a graph in place of "+callee+", which is not here")
		return
	case n.Type.Text() != specs.MCP:
		return
	}
	if _, fault := d.tools.Tool(server.Text(), tool.Text()); fault == nil {
		return
	}
	was, args := server.Text()+"/"+tool.Text(), n.Get("args")
	s := d.standIn(ctx, tool.Text(), args)
	if s == nil {
		hole("tool", "a tool in place of "+was+", which is not here")
		return
	}
	for _, name := range s.open {
		hole(name, s.meaning(name))
	}
	line := fmt.Sprintf("%s: %s in place of %s", n.ID.Text(), s.tool.Spec.ID(), was)
	if len(s.unused) > 0 {
		line += ", without " + strings.Join(s.unused, ", ")
	}
	d.replaced = append(d.replaced, line)
	for _, fix := range []diag.Fix{server.Replace("", s.tool.Spec.Server()), tool.Replace("", s.tool.Spec.Tool()), n.Insert("", "args", s.args, "tool")} {
		d.edits = append(d.edits, fix.Edits...)
	}
}

// How well a tool must fit the name of one that it replaces, and how many are looked at.
const (
	leastStandIn = .25
	sureStandIn  = .5 // without arguments that fit
	maxStandIns  = 30
)

// A standIn is a tool in place of another, with what its arguments are.
type standIn struct {
	tool   *engine.Tool
	args   graph.Members
	open   []string // required arguments that nothing gives
	unused []string // arguments of the other
}

func (s *standIn) meaning(name string) string {
	return s.tool.Input.Root().Property(name).Resolve().Get("description").Text()
}

// standIn is the tool here that most likely does what one of a name does with some arguments,
// nil if that is not likely of any.
func (d *adaptation) standIn(ctx context.Context, name string, args graph.Value) *standIn {
	found, err := d.snap.Search(ctx, search.Query{Text: name, Max: maxStandIns, TypeFilter: specs.MCP, RunnableOnly: true})
	if err != nil || len(found.Hits) == 0 {
		return nil
	}
	index, fits := d.library.discover.TypesOf(d.library.plans.Catalog.Snapshot()), map[*specs.Spec]float64{}
	for _, h := range found.Hits {
		if h.Score >= leastStandIn && h.Spec.Subtype != "" && index.Changes(h.Spec.Tool()) == index.Changes(name) {
			fits[h.Spec] = h.Score
		}
	}
	var fields []types.Field
	for key, v := range args.Members() {
		typ := types.Of(types.JSON)
		if !v.Has("expr") {
			var literal any
			_ = json.Unmarshal(v.JSON(), &literal)
			typ = types.OfJSON(literal, false)
		}
		fields = append(fields, types.Field{Name: key, Type: typ})
	}
	has := &connect.Data{Type: types.ObjectOf(true, fields...), Of: name}
	paths, _ := index.Find(ctx, has, nil, func(s *specs.Spec) bool { return fits[s] > 0 }, func(s *specs.Spec) float64 { return fits[s] })
	if first := found.Hits[0].Spec; len(fields) == 0 && fits[first] >= sureStandIn {
		paths = []*connect.Path{{Steps: []connect.Step{{Spec: first}}}}
	}
	for _, p := range paths {
		if s := d.inPlace(p.Steps[0], args); s != nil && len(s.unused)*2 < max(1, len(fields)) && len(s.open) <= max(1, len(s.args)-len(s.open)) {
			return s
		}
	}
	return nil
}

// inPlace is a tool with the values of another's arguments; nil if it may not be used.
func (d *adaptation) inPlace(step connect.Step, args graph.Value) *standIn {
	tool, fault := d.tools.Tool(step.Spec.Server(), step.Spec.Tool())
	if fault != nil {
		return nil
	}
	s := &standIn{tool: tool, unused: args.Keys()}
	in := tool.Input.Root()
	names := in.PropertyNames()
	slices.SortStableFunc(names, func(a, b string) int { return order(in.Requires(b)) - order(in.Requires(a)) })
	for _, name := range names {
		e, left := step.Args[name], len(s.unused)
		s.unused = slices.DeleteFunc(s.unused, func(k string) bool { return strings.Contains(e, entryField(k)) })
		switch {
		case e != "" && (len(s.unused) < left || in.Requires(name)):
			s.args = s.args.With(name, valueOf(e, args))
		case in.Requires(name):
			s.open, s.args = append(s.open, name), s.args.With(name, drafting.Open(s.meaning(name), name))
		}
	}
	return s
}

func order(required bool) int {
	if required {
		return 1
	}
	return 0
}

// entryField is the expression of a field of what is given.
func entryField(name string) string { return "$.entry." + types.QuoteName(name) }

// valueOf is an expression over what is given, with the values of arguments in the places of
// their names.
func valueOf(e string, args graph.Value) any {
	var pairs []string
	for _, key := range slices.Backward(slices.Sorted(slices.Values(args.Keys()))) { // the longer of two first
		v := args.Get(key)
		if e == entryField(key) {
			return json.RawMessage(v.JSON())
		}
		text := string(v.JSON())
		if v.Has("expr") {
			text = "(" + v.Get("expr").Text() + ")"
		}
		pairs = append(pairs, entryField(key), text)
	}
	return graph.Members{{Key: "expr", Value: strings.NewReplacer(pairs...).Replace(e)}}
}
