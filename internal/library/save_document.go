package library

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/specs"
)

// toSave compiles what is to be saved: a tool, or a document with all its tools. The
// plan is that of the tool whose name the file gets: the one that the call names, in
// tool or as name, else the first.
func (lib *Library) toSave(ctx context.Context, s *plans.Source, in SaveInput) (*plans.Checked, *diag.Fault) {
	c, fault := lib.plans.One(ctx, s, in.Tool)
	if fault != nil || c.Doc == nil || len(c.Doc.Tools()) < 2 || in.Tool != "" && c.Plan == nil {
		c.Runnable()
		return c, fault
	}
	if c, fault = lib.plans.Check(ctx, s, ""); fault != nil {
		return nil, fault
	}
	for _, plan := range c.Plans {
		if unfilled := plan.Unfilled(); len(unfilled) > 0 {
			c.Found = append(c.Found, unfilled...).Sort()
		}
	}
	if c.Found.HasErrors() {
		c.Plans = nil
		return c, nil
	}
	c.Choose(in.Tool, in.As)
	return c, nil
}

// fileText is the text to keep: the author's own, with the name changed if it is saved
// under another. JSON becomes YAML, which people read.
func fileText(c *plans.Checked, as string) string {
	doc, tool := c.Doc, c.Plan.Tool()
	if as != "" && as != tool.Name.Text() {
		doc, _ = graph.Parse(doc.Name, diag.ApplyEdits(doc.Src, renamed(c, as).Edits))
	}
	if doc.Format == graph.YAML {
		return doc.Src
	}
	if tools := doc.Tools(); len(tools) == 1 {
		return string(graph.Encode(members(tools[0].Value)))
	}
	return string(graph.Encode(members(doc.Root)))
}

// renamed gives a tool another name, also in the nodes of the document that call it.
func renamed(c *plans.Checked, as string) diag.Fix {
	tool := c.Plan.Tool()
	fix := tool.Insert("", "name", as, "")
	if !tool.Name.Exists() {
		return fix
	}
	fixes := []diag.Fix{tool.Name.Replace("", as)}
	for _, t := range c.Doc.Tools() {
		for _, n := range t.Nodes {
			if callee := n.Get("graph"); n.Type.Text() == specs.Graph && callee.Text() == tool.Name.Text() {
				fixes = append(fixes, callee.Replace("", as))
			}
		}
	}
	return graph.Join("", fixes...)
}

// members are the keys of a map in their order.
func members(v graph.Value) graph.Members {
	body := graph.Members{}
	for key, m := range v.Members() {
		body = body.With(key, json.RawMessage(m.JSON()))
	}
	return body
}
