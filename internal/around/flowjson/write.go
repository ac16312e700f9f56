package flowjson

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// Write makes a WorkflowDefinition of a workflow. modified, in milliseconds since 1970, is
// when it was created and updated if it does not say. The fault not-exportable names the
// nodes that editors of such workflows do not know.
func Write(tool *graph.Tool, name string, modified int64) ([]byte, *diag.Fault) {
	w, ui := tool.Workflow, tool.Workflow.Get(keyUI)
	imported := ui.Has("id")
	var out graph.Members
	if id := ui.Get("id"); id.Exists() {
		add(&out, "id", id)
	} else {
		add(&out, "id", name)
	}
	if tool.Title.Exists() {
		add(&out, "name", tool.Title)
	} else {
		add(&out, "name", name)
	}
	add(&out, "description", tool.Description)
	add(&out, "workflowType", w.Get("on"))
	nodes := []any{}
	e := edges{kept: ui.Get("edges").Items(), pairs: map[[2]string]bool{}}
	for i := range tool.Nodes {
		n, fault := node(&tool.Nodes[i], imported)
		if fault != nil {
			return nil, fault
		}
		nodes = append(nodes, n)
		e.of(&tool.Nodes[i])
	}
	add(&out, "nodes", nodes)
	add(&out, "edges", e.list())
	if enabled := w.Get("enabled"); enabled.Exists() || imported {
		add(&out, "enabled", enabled)
	} else {
		add(&out, "enabled", true)
	}
	add(&out, "match", w.Get("match"))
	add(&out, "priority", w.Get("priority"))
	for _, p := range others(ui, []string{"id", "edges"}) {
		add(&out, p.Key, p.Value)
	}
	if !imported {
		add(&out, "createdAt", modified)
		add(&out, "updatedAt", modified)
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, diag.Faultf(diag.CodeInternalError, "the workflow cannot be written: %w", err)
	}
	var text bytes.Buffer
	_ = json.Indent(&text, b, "", "  ") // it is JSON
	return append(text.Bytes(), '\n'), nil
}

var codeNotExportable = diag.DefineFault("not-exportable", diag.RefusesRequest, "a WorkflowDefinition cannot say what a workflow does", "write it with `start`, `mcp-call`, `end` and hooks that are scripts or modules")

// node writes one node.
func node(n *graph.Node, imported bool) (graph.Members, *diag.Fault) {
	kind, hook := n.Type.Text(), n.Get("hook")
	switch {
	case kind != "start" && kind != "mcp-call" && kind != "end" && kind != "hook":
		return nil, diag.Faultf(codeNotExportable, "the node %q is of type %q, which workflow definitions do not have", n.ID.Text(), kind).
			WithHint("they have start, mcp-call, hook and end")
	case hook.Has("expr"):
		return nil, diag.Faultf(codeNotExportable, "the hook %q is an expression, and hooks of workflow definitions are scripts", n.ID.Text()).
			WithHint("write it as {script: …}")
	}
	ui := n.Get(keyUI)
	var out, data, position graph.Members
	add(&out, "id", n.ID)
	add(&out, "type", n.Type)
	switch {
	case ui.Has("position"):
		add(&out, "position", ui.Get("position"))
	case ui.Has("x"):
		add(&position, "x", ui.Get("x"))
		add(&position, "y", ui.Get("y"))
		add(&out, "position", position)
	case !imported:
		add(&out, "position", graph.Members{{Key: "x", Value: 0}, {Key: "y", Value: 0}})
	}
	if label := n.Get(keyLabel); label.Exists() || imported {
		add(&data, "label", label)
	} else {
		add(&data, "label", n.ID)
	}
	if hook.Exists() {
		var h graph.Members
		add(&h, "id", hook.Get("id"))
		if !hook.Has("id") && !imported {
			add(&h, "id", n.ID)
		}
		add(&h, "script", hook.Get("script"))
		add(&h, "hookModuleId", hook.Get("module"))
		if blocking := n.Get("blocking"); blocking.Exists() || imported {
			add(&h, "blocking", blocking)
		} else {
			add(&h, "blocking", true)
		}
		for _, p := range others(ui.Get("hook"), nil) {
			add(&h, p.Key, p.Value)
		}
		add(&data, "hook", h)
	}
	for _, p := range others(ui.Get("data"), nil) {
		add(&data, p.Key, p.Value)
	}
	if len(data) > 0 {
		out = out.With("data", data)
	}
	for _, p := range others(ui, []string{"x", "y", "position", "data", "hook"}) {
		add(&out, p.Key, p.Value)
	}
	return out, nil
}

// edges are those of a workflow.
type edges struct {
	kept  []graph.Value // as they were read
	pairs map[[2]string]bool
	order [][2]string
}

// of adds the edges that begin at a node.
func (e *edges) of(n *graph.Node) {
	for edge := range n.Edges() {
		pair := [2]string{n.ID.Text(), edge.Target.Text()}
		e.pairs[pair] = true
		e.order = append(e.order, pair)
	}
}

// list writes the edges: those that were read as they were, if they are still there, and
// then the others.
func (e *edges) list() []any {
	list, done := []any{}, map[[2]string]bool{}
	for _, kept := range e.kept {
		pair := [2]string{kept.Get("source").Text(), kept.Get("target").Text()}
		if e.pairs[pair] {
			list = append(list, kept)
			done[pair] = true
		}
	}
	for _, pair := range e.order {
		if !done[pair] {
			list = append(list, graph.Members{
				{Key: "id", Value: cmp.Or(pair[0]+"-"+pair[1], "edge")}, {Key: "source", Value: pair[0]}, {Key: "target", Value: pair[1]},
			})
		}
	}
	return list
}
