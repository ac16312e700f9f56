package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// toSave compiles what is to be saved: a tool, or a document with all its tools. The
// plan is that of the tool whose name the file gets: the one that the call names, in
// tool or as name, else the first.
func (a *App) toSave(ctx context.Context, s *source, in SaveInput) (*checked, *diag.Fault) {
	c, fault := a.one(ctx, s, in.Tool)
	if fault != nil || c.doc == nil || len(c.doc.Tools()) < 2 || in.Tool != "" && c.plan == nil {
		c.runnable()
		return c, fault
	}
	if c, fault = a.check(ctx, s, ""); fault != nil {
		return nil, fault
	}
	for _, plan := range c.plans {
		if unfilled := plan.Unfilled(); len(unfilled) > 0 {
			c.found = append(c.found, unfilled...).Sort()
		}
	}
	if c.found.HasErrors() {
		c.plans = nil
		return c, nil
	}
	c.choose(in.Tool, in.As)
	return c, nil
}

// choose makes the plan that of the first name that a tool has, else of the first tool.
func (c *checked) choose(names ...string) {
	for _, name := range names {
		i := slices.IndexFunc(c.plans, func(p *engine.Plan) bool { return p.Name == name })
		if i >= 0 && name != "" {
			c.plan = c.plans[i]
			return
		}
	}
	c.plan = c.plans[0]
}

// missing lists what each tool lacks to be saved. The one that the file is named after
// may get its name from the call.
func (c *checked) missing(as string) []string {
	var missing []string
	for _, plan := range c.plans {
		list := engine.MissingForSave(plan.Tool())
		if as != "" && plan == c.plan && len(list) > 0 && list[0] == "name" {
			list = list[1:]
		}
		for _, what := range list {
			if plan != c.plan {
				what = fmt.Sprintf("%s of %q", what, plan.Name)
			}
			missing = append(missing, what)
		}
	}
	return missing
}

// toolNames lists the tools that are saved, those of a document by their own names.
func (c *checked) toolNames(saved string) []string {
	names := []string{saved}
	for _, plan := range c.plans {
		if plan != c.plan {
			names = append(names, plan.Name)
		}
	}
	return names
}

// fileText is the text to keep: the author's own, with the name changed if it is saved
// under another. JSON becomes YAML, which people read.
func fileText(c *checked, as string) string {
	doc, tool := c.doc, c.plan.Tool()
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
func renamed(c *checked, as string) diag.Fix {
	tool := c.plan.Tool()
	fix := tool.Insert("", "name", as, "")
	if !tool.Name.Exists() {
		return fix
	}
	fixes := []diag.Fix{tool.Name.Replace("", as)}
	for _, t := range c.doc.Tools() {
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
