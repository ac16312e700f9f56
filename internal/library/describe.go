package library

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// described is a graph with the description of the input.
func (in *SaveInput) described(s *plans.Source) *plans.Source {
	if in.Description == "" {
		return s
	}
	doc, _ := graph.Parse(s.Name, s.Text)
	if doc == nil {
		return s
	}
	for _, tool := range doc.Tools() {
		if in.Tool != "" && tool.Name.Text() != in.Tool {
			continue
		}
		fix := tool.Insert("", "description", in.Description, "name")
		if tool.Description.Exists() {
			fix = tool.Description.Replace("", in.Description)
		}
		out := *s
		out.Text = diag.ApplyEdits(s.Text, fix.Edits)
		return &out
	}
	return s
}
