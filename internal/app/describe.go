package app

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// described is a graph with the description of the input.
func (in *SaveInput) described(s *source) *source {
	if in.Description == "" {
		return s
	}
	doc, _ := graph.Parse(s.name, s.text)
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
		out.text = diag.ApplyEdits(s.text, fix.Edits)
		return &out
	}
	return s
}
