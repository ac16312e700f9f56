package flowjson

import (
	"cmp"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var CodeBadDefinition = diag.DefineFault("bad-definition", diag.RefusesRequest, "a text is not a WorkflowDefinition", "export it again from its editor")

// Read makes a document of a WorkflowDefinition: its text as YAML, and the name of the
// workflow. rename makes a valid name of any text. The fault says why the JSON is not a
// definition; what is wrong with the workflow is for the checker.
func Read(text string, rename func(string) string) (name string, doc []byte, fault *diag.Fault) {
	parsed, found := graph.Parse("workflow", text)
	if parsed == nil || found.HasErrors() {
		return "", nil, diag.Faultf(CodeBadDefinition, "the workflow definition cannot be read: line %d: %s", found[0].Range.Start.Line, found[0].Message)
	}
	root := parsed.Root
	if !root.Get("nodes").Is(graph.Array) || !root.Get("edges").Is(graph.Array) || !root.Get("workflowType").Is(graph.String) {
		return "", nil, diag.Faultf(CodeBadDefinition, "the text is not a workflow definition").
			WithHint("it has workflowType, and lists of nodes and edges; a workflow in YAML is a file of the folder workflows already")
	}
	given := root.Get("name").Text()
	if name = cmp.Or(rename(given), rename(root.Get("id").Text())); name == "" {
		return "", nil, diag.Faultf(CodeBadDefinition, "the workflow definition has no name")
	}
	d := definition{edges: root.Get("edges").Items(), ends: map[string]bool{}, blocking: map[string]bool{}}
	for _, n := range root.Get("nodes").Items() {
		switch n.Get("type").Text() {
		case "end":
			d.ends[n.Get("id").Text()] = true
		case "hook":
			d.blocking[n.Get("id").Text()] = string(n.Get("data").Get("hook").Get("blocking").JSON()) != "false"
		}
	}
	if fault := d.checkEnds(); fault != nil {
		return "", nil, fault
	}
	var out, workflow graph.Members
	add(&out, "name", name)
	if given != name {
		add(&out, "title", root.Get("name"))
	}
	add(&out, "description", root.Get("description"))
	add(&workflow, "on", root.Get("workflowType"))
	add(&workflow, "enabled", root.Get("enabled"))
	add(&workflow, "match", root.Get("match"))
	add(&workflow, "priority", root.Get("priority"))
	ui := others(root, own)
	if len(d.edges) > 0 {
		add(&ui, "edges", root.Get("edges"))
	}
	add(&workflow, keyUI, ui)
	add(&out, "workflow", workflow)
	nodes := []any{}
	for _, n := range root.Get("nodes").Items() {
		nodes = append(nodes, d.node(n))
	}
	add(&out, "nodes", nodes)
	if d.lost != nil {
		return "", nil, d.lost
	}
	return name, graph.Encode(out), nil
}

// A definition is what is known of a whole one while its nodes are read.
type definition struct {
	edges    []graph.Value
	ends     map[string]bool // ids of the nodes of type end
	blocking map[string]bool // ids of the hooks that are waited for
	lost     *diag.Fault     // an edge that cannot be written as next or as detach
}

// checkEnds returns the fault of the first edge that leads out of an end, or that is a
// second one to it.
func (d *definition) checkEnds() *diag.Fault {
	first := map[string]string{} // edge to an end
	for _, e := range d.edges {
		from, to := e.Get("source").Text(), e.Get("target").Text()
		edge := fmt.Sprintf("%q -> %q", from, to)
		if d.ends[from] {
			return endFault("the edge %s leads out of %q", edge, from)
		}
		if d.ends[to] && first[to] != "" {
			return endFault("the edges %s and %s both lead to %q", first[to], edge, to)
		}
		if d.ends[to] {
			first[to] = edge
		}
	}
	return nil
}

func endFault(format string, args ...any) *diag.Fault {
	return diag.Faultf(CodeBadDefinition, format+", and an end has a single input and no output", args...).
		WithHint("lead the edges from node to node, so that one path leads to the end")
}

// node reads a node, with the edges that begin at it.
func (d *definition) node(n graph.Value) graph.Members {
	var out, ui graph.Members
	data := n.Get("data")
	add(&out, "id", n.Get("id"))
	add(&out, "type", n.Get("type"))
	add(&out, keyLabel, data.Get("label"))
	if h := data.Get("hook"); h.Exists() {
		var hook graph.Members
		add(&hook, "id", h.Get("id"))
		add(&hook, "script", h.Get("script"))
		add(&hook, "module", h.Get("hookModuleId"))
		add(&out, "hook", hook)
		add(&out, "blocking", h.Get("blocking"))
		add(&ui, "hook", others(h, ownHook))
	}
	d.outputs(&out, n.Get("id").Text())
	if p := n.Get("position"); p.Get("x").Is(graph.Number) && p.Get("y").Is(graph.Number) && p.Len() == 2 {
		add(&ui, "x", p.Get("x"))
		add(&ui, "y", p.Get("y"))
	} else {
		add(&ui, "position", p)
	}
	add(&ui, "data", others(data, ownData))
	for _, p := range others(n, ownNode) {
		add(&ui, p.Key, p.Value)
	}
	add(&out, keyUI, ui)
	return out
}

// outputs writes the edges that begin at a node: the first that leads on to an end is
// next, the others are detached.
func (d *definition) outputs(out *graph.Members, id string) {
	main, rest := "", []any{}
	targets := d.from(id)
	for _, to := range targets {
		if d.leads(to, map[string]bool{}) {
			main = to
			break
		}
	}
	if main == "" && len(targets) == 1 {
		main = targets[0]
	}
	for _, to := range targets {
		if to == main {
			continue
		}
		rest = append(rest, to)
		if d.blocking[to] && main != "" && d.lost == nil {
			d.lost = diag.Faultf(CodeBadDefinition, "edges lead from %q to %q and to %q, a blocking hook: beside the path to the end nothing would wait for it", id, main, to)
			d.lost.Hint = fmt.Sprintf("lead %s -> %s -> %s, or write blocking: false", id, to, main)
		}
	}
	if main != "" {
		add(out, "next", main)
	}
	if len(rest) > 0 {
		add(out, "detach", rest)
	}
}

// from lists where edges lead from a node.
func (d *definition) from(id string) (targets []string) {
	for _, e := range d.edges {
		if e.Get("source").Text() == id {
			targets = append(targets, e.Get("target").Text())
		}
	}
	return targets
}

// leads reports whether edges lead from a node to an end.
func (d *definition) leads(id string, seen map[string]bool) bool {
	if d.ends[id] {
		return true
	}
	if seen[id] {
		return false
	}
	seen[id] = true
	for _, to := range d.from(id) {
		if d.leads(to, seen) {
			return true
		}
	}
	return false
}
