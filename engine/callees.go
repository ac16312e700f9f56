package engine

import "github.com/patchbay-mcp/patchbay/specs"

// A Callee is a tool of a server that a node of a plan calls, or a graph that it runs.
type Callee struct {
	Server, Tool string
	Graph        string // a tool of the same document, or a saved graph; then the rest is empty
}

// Callees returns what the nodes of the plan call, in the order of the document. Server is
// empty where only the servers know which one has the tool, and they were not asked.
func (p *Plan) Callees() (list []Callee) {
	for i := range p.nodes {
		switch n := &p.nodes[i]; {
		case n.kind.RunsGraph:
			list = append(list, Callee{Graph: n.callee.tool})
		case n.kind.Spec.NodeType == specs.MCP:
			list = append(list, Callee{Server: n.callee.server, Tool: n.callee.tool})
		}
	}
	return list
}
