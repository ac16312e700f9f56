package drafting

import (
	"cmp"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

// A Step is a node of a scaffold: one that calls something, or a node to copy.
type Step struct {
	Callee   *Callee
	Skeleton graph.Members     // with id and next, in place of Callee
	Args     map[string]string // expressions of arguments
}

// A Placeholder is a required argument that a scaffold leaves open.
type Placeholder struct {
	Node     string `json:"node"`
	Argument string `json:"argument"`
	Meaning  string `json:"meaning,omitempty"`
}

// Scaffold returns a graph of an entry, the steps in their order, and an exit, and what is
// to be filled in. A required argument reads the nearest earlier output that has a field
// whose name and type fit.
func Scaffold(steps []Step) (graph.Members, []Placeholder) {
	s := &scaffold{ids: newIDs()}
	for _, step := range steps {
		s.add(step)
	}
	list := []graph.Members{{{Key: "id", Value: "entry"}, {Key: "type", Value: "entry"}}}
	list = append(list, s.nodes...)
	for i := range list {
		next := "exit"
		if i+1 < len(list) {
			next, _ = list[i+1][0].Value.(string)
		}
		list[i] = follow(list[i], next)
	}
	list = append(list, graph.Members{{Key: "id", Value: "exit"}, {Key: "type", Value: "exit"}})
	return graph.Members{{Key: "nodes", Value: list}}, s.open
}

// scaffold is a graph in the making.
type scaffold struct {
	ids     ids
	nodes   []graph.Members // each begins with its id
	outputs []typedOutput
	open    []Placeholder
}

// A typedOutput is what is known of the output of a node before it runs.
type typedOutput struct {
	node string
	tool string
	typ  types.Type
}

func (s *scaffold) add(step Step) {
	if step.Callee == nil {
		s.copy(step.Skeleton)
		return
	}
	c, given := step.Callee, step.Args
	id := s.ids.take(c.Tool)
	node := graph.Members{{Key: "id", Value: id}, {Key: "type", Value: "graph"}, {Key: "graph", Value: c.Tool}}
	if c.Server != "" {
		node = graph.Members{{Key: "id", Value: id}, {Key: "type", Value: "mcp"}, {Key: "server", Value: c.Server}, {Key: "tool", Value: c.Tool}}
	}
	args := graph.Members{}
	want := c.Input.Type()
	for _, name := range c.Input.Root().Required() {
		typ, _ := want.Field(name)
		if e := cmp.Or(given[name], s.read(name, typ)); e != "" {
			args = args.With(name, computed(e))
			continue
		}
		p := Placeholder{Node: id, Argument: name, Meaning: c.Input.Root().Property(name).Resolve().Get("description").Text()}
		s.open = append(s.open, p)
		args = args.With(name, Open(p.Meaning, meaning(name, c.Input.Root().Property(name))))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(c.Input.Root().Required(), name) {
			args = args.With(name, computed(given[name]))
		}
	}
	s.nodes = append(s.nodes, node.With("args", args))
	if c.Output != nil {
		s.outputs = append(s.outputs, typedOutput{id, c.Tool, c.Output.Type()})
	}
}

// Open is a value that is to be filled in, with the first text that says what goes there.
func Open(meanings ...string) graph.Members {
	return graph.Members{{Key: "$placeholder", Value: cmp.Or(meanings...)}}
}

// meaning says what goes into an argument without a description.
func meaning(name string, n *schema.Node) string {
	if typ := n.Resolve().TypeName(); typ != "any" {
		return name + ", " + typ
	}
	return name
}

// copy adds a node as its skeleton says.
func (s *scaffold) copy(skeleton graph.Members) {
	id := "step"
	if i := slices.IndexFunc(skeleton, func(p graph.Pair) bool { return p.Key == "id" }); i >= 0 {
		if text, ok := skeleton[i].Value.(string); ok {
			id = text
		}
		skeleton = slices.Delete(slices.Clone(skeleton), i, i+1)
	}
	s.nodes = append(s.nodes, append(graph.Members{{Key: "id", Value: s.ids.take(id)}}, skeleton...))
}

// follow makes next the node that follows.
func follow(node graph.Members, next string) graph.Members {
	for i, p := range node {
		if p.Key == "next" || p.Key == "join" {
			node[i].Value = next
			return node
		}
	}
	return node.With("next", next)
}

// With returns a scaffold with the schema of its arguments, and with an expression as its
// result unless that is "".
func With(body graph.Members, input any, result string) graph.Members {
	nodes := body[0].Value.([]graph.Members)
	if result != "" {
		nodes[len(nodes)-1] = nodes[len(nodes)-1].With("result", computed(result))
	}
	return append(graph.Members{{Key: "inputSchema", Value: input}}, body...)
}

// read is an expression for an argument, or "".
func (s *scaffold) read(argument string, want types.Type) string {
	for _, o := range slices.Backward(s.outputs) {
		if e := field(step("$", o.node), o.typ, argument, words(o.tool), want, readDepth); e != "" {
			return e
		}
	}
	return ""
}

// readDepth is how many objects inside each other are looked into for a field.
const readDepth = 2

// field looks for a field whose name and type fit, first among those of an object itself.
func field(at string, of types.Type, argument string, context []string, want types.Type, depth int) string {
	if depth == 0 || !of.Has(types.Object) {
		return ""
	}
	for _, f := range of.Fields {
		if means(argument, f.Name, context) && fits(f.Type, want) {
			return step(at, f.Name)
		}
	}
	for _, f := range of.Fields {
		if e := field(step(at, f.Name), f.Type, argument, append(slices.Clone(context), words(f.Name)...), want, depth-1); e != "" {
			return e
		}
	}
	return ""
}

// means reports whether an argument has the name of a field, or that with words of what
// the field is of: user_id means id of get_user.
func means(argument, name string, context []string) bool {
	of, field := words(argument), words(name)
	if len(field) == 0 {
		return false
	}
	for _, w := range field {
		if !slices.Contains(of, w) {
			return false
		}
	}
	for _, w := range of {
		if !slices.Contains(field, w) && !slices.Contains(context, w) {
			return false
		}
	}
	return true
}

// fits reports whether a value of a known type satisfies another type.
func fits(got, want types.Type) bool {
	got = got.Without(types.Undefined | types.Null)
	return !got.IsOpen() && got.Kinds != 0 && len(types.Compare(got, want)) == 0
}
