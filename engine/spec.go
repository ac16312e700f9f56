package engine

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// sourceGraphs is the source of specs of saved graphs.
const sourceGraphs = "graphs"

// Spec describes the plan as a node of the catalog: a saved graph of a name and
// revision.
func (p *Plan) Spec(name, revision string) *specs.Spec {
	input := schema.Read(p.InputSchema())
	skeleton, _ := json.Marshal(map[string]any{"id": name, "type": specs.Graph, "graph": name, "args": schema.Sample(input), "next": "exit"})
	s := &specs.Spec{
		NodeType: specs.Graph, Subtype: name, Version: revision, Category: "graph", Source: sourceGraphs,
		Title: p.tool.Title.Text(), Description: p.Description,
		Parameters:  schema.Parameters(input),
		InputSchema: p.InputSchema(), OutputSchema: p.OutputSchema(),
		Skeleton:    skeleton,
		InputPorts:  []specs.Port{{Name: "input", Type: "object", Required: true, Description: "the saved graph's arguments"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", Description: "the saved graph's result", DataFormat: &specs.DataFormat{MimeType: "application/json", Schema: p.OutputSchema()}}},
		Annotations: p.annotations(),
	}
	return s
}

// annotations of a saved graph follow from the tools it calls: it changes nothing
// if none of them does.
func (p *Plan) annotations() *specs.Annotations {
	all := &specs.Annotations{Trusted: true}
	readOnly, destructive := true, false
	for i := range p.nodes {
		if t := p.nodes[i].tool; t != nil {
			readOnly = readOnly && t.Spec.Annotations.IsReadOnly()
			destructive = destructive || t.Spec.Annotations.IsDestructive()
		} else if p.nodes[i].kind.ActsOutside {
			readOnly, destructive = false, true
		}
	}
	all.ReadOnly = &readOnly
	if !readOnly {
		all.Destructive = &destructive
	}
	return all
}
