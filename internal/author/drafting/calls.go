package drafting

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

// FromCalls returns a graph that makes the calls again: one node a call, or one for
// several over the items of a list. What an argument has in common with an earlier output
// becomes an expression, anything else an argument of the graph. It returns what the last
// call returns.
func FromCalls(calls []Call, o Options) *Draft {
	d := &drafter{o: o, calls: calls, out: newOutputs(), nodeIDs: ids{"entry": true, "exit": true}, names: ids{}, entry: expr.NewObject()}
	d.out.scope.Set("entry", d.entry)
	for i := 0; i < len(calls); {
		if n := d.loop(i); n > 0 {
			i += n
			continue
		}
		d.one(i)
		i++
	}
	return d.draft()
}

// drafter makes the draft of some calls.
type drafter struct {
	o       Options
	calls   []Call
	out     *outputs
	nodeIDs ids
	names   ids
	inputs  []*input
	entry   expr.Object // the values of the inputs
	nodes   []node
	choices []Choice
	notes   []string
	// positions are the arguments that take an item of a list by its index, and the loops
	// over the first items of one.
	positions []string
	loops     bool

	schema any        // of the last node's output
	result expr.Value // the last node's output
}

// A node of the draft.
type node struct {
	id    string
	of    *Callee
	args  any
	items string // the expression of a foreach, or ""
}

// one adds the node of one call.
func (d *drafter) one(i int) {
	c := &d.calls[i]
	id := d.nodeIDs.take(c.Tool)
	args := d.arguments(id, c, nil)
	d.nodes = append(d.nodes, node{id: id, of: &c.Callee, args: args})
	d.out.add(len(d.nodes)-1, id, c.Result)
	d.schema, d.result = outputSchema(&c.Callee, c.Result), c.Result
}

// arguments are those of a call; given are the expressions of those that are known, by
// their paths.
func (d *drafter) arguments(id string, c *Call, given map[string]string) graph.Members {
	args := graph.Members{}
	for name, v := range c.Arguments.All() {
		w := argument{d: d, node: id, given: given}
		args = args.With(name, w.template(name, name, v, c.Input.Root().Property(name)))
	}
	return args
}

// An argument of a call, while it is written.
type argument struct {
	d     *drafter
	node  string
	given map[string]string
}

// template is the value of an argument, or of a part of one, as the graph has it.
func (a *argument) template(name, path string, v expr.Value, s *schema.Node) any {
	if e := a.expression(name, path, v, s); e != "" {
		return computed(e)
	}
	if !a.wired(name, path, v, s) {
		return computed(a.d.input(a.node, name, v, s).expr())
	}
	switch v := v.(type) {
	case expr.Object:
		out := graph.Members{}
		for key, member := range v.All() {
			out = out.With(key, a.template(key, path+"."+key, member, s.Resolve().Property(key)))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = a.template(name, path+"."+strconv.Itoa(i), v[i], s.Resolve().Get("items"))
		}
		return out
	}
	return v
}

// wired reports whether something in a value can be an expression.
func (a *argument) wired(name, path string, v expr.Value, s *schema.Node) bool {
	switch v := v.(type) {
	case expr.Object:
		if slices.ContainsFunc(v.Keys(), func(key string) bool { return key == "expr" || strings.HasPrefix(key, "$") }) {
			return false // it would be read as an expression
		}
		return slices.ContainsFunc(v.Keys(), func(key string) bool {
			member, _ := v.Get(key)
			return a.found(key, path+"."+key, member, s.Resolve().Property(key))
		})
	case []any:
		for i := range v {
			if a.found(name, path+"."+strconv.Itoa(i), v[i], s.Resolve().Get("items")) {
				return true
			}
		}
	}
	return false
}

func (a *argument) found(name, path string, v expr.Value, s *schema.Node) bool {
	if a.given[path] != "" {
		return true
	}
	if w, _ := a.look(name, path, v, s); w != nil {
		return true
	}
	return a.wired(name, path, v, s)
}

// look finds an expression for a value. One that was an input before is that input,
// unless an output says it at a place of its own; in is then the input.
func (a *argument) look(name, path string, v expr.Value, s *schema.Node) (w *wiring, in *input) {
	if a.d.o.Literal[a.node+"."+path] || isChoice(s.Resolve().Raw()) {
		return nil, nil
	}
	w, in = a.d.wire(name, v), a.d.known(name, v, s)
	if items, ok := v.([]any); ok && w == nil {
		w = a.d.projected(items)
	}
	if w != nil && w.inList && in != nil {
		w = &wiring{expr: in.expr(), others: append([]string{w.expr}, w.others...)}
	} else if w != nil && in != nil {
		w.others = append(w.others, in.expr())
	}
	return w, in
}

// expression is the expression for a value, or "". Where there are several, it notes so.
func (a *argument) expression(name, path string, v expr.Value, s *schema.Node) string {
	if e := a.given[path]; e != "" {
		return e
	}
	w, _ := a.look(name, path, v, s)
	if w == nil {
		return ""
	}
	if w.inList {
		a.d.positions = append(a.d.positions, a.node+"."+path)
	}
	if len(w.others) > 0 {
		a.d.choices = append(a.d.choices, Choice{Node: a.node, Argument: path, Chosen: w.expr, Others: w.others[:min(len(w.others), maxOthers)]})
	}
	return w.expr
}

func computed(e string) graph.Members { return graph.Members{{Key: "expr", Value: e}} }

// draft is the finished graph.
func (d *drafter) draft() *Draft {
	if len(d.positions) > 0 {
		d.note("items of a list are chosen by their position: %s", strings.Join(d.positions, ", "))
	}
	out := &Draft{ByPosition: len(d.positions) > 0, Ambiguous: d.choices, Notes: d.notes, Loops: d.loops, Arguments: d.entry, Result: d.result}
	tool := graph.Members{{Key: "name", Value: cmp.Or(d.o.Name, d.name())}}
	if d.o.Description != "" {
		tool = tool.With("description", d.o.Description)
	}
	tool = tool.With("inputSchema", d.inputSchema()).With("outputSchema", d.schema)
	with := func(proof bool) graph.Members {
		return slices.Clone(tool).With("nodes", d.list(proof))
	}
	out.Tool, out.Proof = with(false), with(true)
	return out
}

// name is a name for the graph, of those of its first and last node.
func (d *drafter) name() string {
	first, last := d.nodes[0].id, d.nodes[len(d.nodes)-1].id
	if len(d.nodes) == 1 {
		return ids{first: true}.take(first, first+"_graph")
	}
	return plain(first[:min(len(first), maxName/2-2)] + "_and_" + last)
}

// list are the nodes of the graph.
func (d *drafter) list(proof bool) []graph.Members {
	list := []graph.Members{{{Key: "id", Value: "entry"}, {Key: "type", Value: "entry"}, {Key: "next", Value: "exit"}}}
	for i, n := range d.nodes {
		list[i][len(list[i])-1].Value = n.id
		o := graph.Members{{Key: "id", Value: n.id}}
		switch {
		case n.of.Server != "":
			o = o.With("type", "mcp").With("server", n.of.Server).With("tool", n.of.Tool)
		case proof:
			o = o.With("type", "mcp").With("server", GraphServer).With("tool", n.of.Tool)
		default:
			o = o.With("type", "graph").With("graph", n.of.Tool)
		}
		if n.items != "" {
			o = o.With("foreach", graph.Members{{Key: "items", Value: computed(n.items)}})
		}
		list = append(list, o.With("args", n.args).With("next", "exit"))
	}
	return append(list, graph.Members{{Key: "id", Value: "exit"}, {Key: "type", Value: "exit"}})
}

func (d *drafter) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}
