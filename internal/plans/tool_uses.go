package plans

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// UsesOf are how the nodes of the saved graphs and of the operator's documents use a tool of
// a server.
func (ts *toolSet) UsesOf(server, tool string) (uses []servers.ToolUse) {
	for _, doc := range ts.plans.Documents {
		uses = append(uses, ts.usesIn(doc, server, tool)...)
	}
	if ts.plans.Saved == nil {
		return uses
	}
	list, _ := ts.plans.Saved.List()
	for _, g := range list {
		uses = append(uses, ts.usesIn(g.Doc, server, tool)...)
	}
	return uses
}

// usesIn are how the nodes of a document use a tool of a server.
func (ts *toolSet) usesIn(doc *graph.Document, server, tool string) (uses []servers.ToolUse) {
	for _, t := range doc.Tools() {
		for i := range t.Nodes {
			n := &t.Nodes[i]
			if !ts.callsTool(n, server, tool) {
				continue
			}
			u := servers.ToolUse{Graph: t.Name.Text(), Doc: doc, Args: map[string]json.RawMessage{}, Reads: readsOf(t, n)}
			args := n.Get("args")
			u.AnyArgs = args.Expr().Exists() || args.Exists() && !args.Is(graph.Object)
			for name, v := range args.Members() {
				u.Args[name] = fixed(v)
			}
			uses = append(uses, u)
		}
	}
	return uses
}

// callsTool reports whether a node calls a tool of a server; one without a server may call it.
func (ts *toolSet) callsTool(n *graph.Node, server, tool string) bool {
	if n.Type.Text() != specs.MCP {
		return false
	}
	named, called := n.Get("server").Text(), n.Get("tool").Text()
	if named == "" {
		return called == tool || ts.plans.servers.Hub.Canonical(called) == server+"/"+tool
	}
	return called == tool && ts.plans.servers.Hub.Canonical(named) == server
}

// fixed is the JSON of a value that is not computed, nil of one that may be.
func fixed(v graph.Value) json.RawMessage {
	switch v.Kind() {
	case graph.Object, graph.Array:
		return nil
	case graph.String:
		if strings.HasPrefix(v.Text(), "$.") {
			return nil
		}
	}
	return json.RawMessage(v.JSON())
}

// dropsOutput are the types of nodes that neither read the output of the node before by
// themselves nor leave it the last one.
var dropsOutput = map[string]bool{specs.MCP: true, "transform": true, "http": true, "graph": true}

// readsOf are the places in the output of a node that the nodes of its tool read. Where that
// cannot be told, it is the whole.
func readsOf(t *graph.Tool, of *graph.Node) (reads [][]string) {
	whole, next, dropped := [][]string{{}}, of.Next.Text(), false
	for _, n := range t.Nodes {
		typ := n.Type.Text()
		dropped = dropped || n.ID.Text() == next && (dropsOutput[typ] || (*engine.KindSet)(nil).Ends(typ) && n.Get("result").Exists())
		if n.Join.Exists() && n.Join.Text() == next { // it is the output of a branch
			return whole
		}
	}
	if !dropped {
		return whole
	}
	for i := range t.Nodes {
		for _, read := range t.Nodes[i].Reads() {
			refs := read.Refs()
			if refs.ReadsUnnamed() {
				return whole
			}
			for _, ref := range refs.Nodes {
				if ref.Node == of.ID.Text() && ref.Via != jsonata.ViaExecutionCount {
					reads = append(reads, pathOf(ref))
				}
			}
		}
	}
	return reads
}

// pathOf is the place that a mention of a node reads.
func pathOf(ref jsonata.Ref) []string {
	path := []string{}
	for i, f := range ref.Path {
		if ref.Sifted && i == ref.Plain {
			break
		}
		path = append(path, f.Name)
	}
	return path
}

// Waiting says what the change of a tool means that waits for a person.
func (ts *toolSet) Waiting(server, tool string) *servers.ToolChange {
	pin := ts.plans.servers.Hub.Pin(server, tool)
	if pin == nil || pin.Pending == nil {
		return nil
	}
	return servers.Classify(pin.Definition, pin.Pending.Definition, ts.UsesOf(server, tool))
}

// Pass is [downstream.Options.Pass]: a change passes that is compatible with how the graphs
// use the tool.
func (ts *toolSet) Pass(server string, from, to json.RawMessage) (definition json.RawMessage, what string) {
	var t struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(to, &t) != nil {
		return nil, ""
	}
	c := servers.Classify(from, to, ts.UsesOf(server, t.Name))
	if c.Class != servers.ChangeCompatible {
		return nil, ""
	}
	return servers.ServedDefinition(from, to), strings.Join(c.Reasons, "; ")
}
