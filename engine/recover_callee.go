package engine

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// toolMap recovers from a tool that is a map with the server in it.
func (p *Pass) toolMap(n *Node, tool graph.Value) bool {
	name, server := firstOf(tool, "name", "tool"), tool.Get("server")
	if !name.Is(graph.String) {
		return false
	}
	d := p.Report(ruleWrongShape, tool, n, "tool is a map, expected a name")
	d.Hint = "write tool: " + name.Text()
	fixes := []diag.Fix{tool.Replace("", name.Text())}
	if server.Is(graph.String) && !n.Field("server").Exists() {
		d.Hint = fmt.Sprintf("write server: %s, tool: %s", server.Text(), name.Text())
		fixes = append(fixes, n.Insert("", "server", server.Text(), "type"))
	}
	if args := firstOf(tool, append([]string{"args"}, n.Kind.field("args").Aliases...)...); args.Is(graph.Map) && !n.Field("args").Exists() {
		fixes = append(fixes, n.Insert("", "args", raw(args), "tool"))
	}
	d.Fixes = []diag.Fix{graph.Join(d.Hint, fixes...)}
	return true
}

// serverless recovers from a tool that is named without its server.
func (p *Pass) serverless(n *Node, tool graph.Value) *Tool {
	server, name, ok := p.env.Tools.Resolve(tool.Text())
	if !ok {
		d := p.Report(ruleMissingField, n.where(), n, "node %q of type mcp has no %q", n.ID, "server")
		if !p.helps() {
			return nil
		}
		var offers []string
		for _, full := range p.env.Tools.Names() {
			if _, t, _ := strings.Cut(full, "/"); t == tool.Text() {
				offers = append(offers, full)
			}
		}
		if len(offers) > 0 {
			d.Hint = "the tool is offered by " + diag.OneOf(offers, 12)
		} else if near := p.closest(tool.Text(), toolNames(p.env.Tools)); near != "" {
			if s, t, ok := p.env.Tools.Resolve(near); ok {
				d.Hint = fmt.Sprintf("did you mean server: %s, tool: %s?", s, t)
				d.Fixes = []diag.Fix{graph.Join(fmt.Sprintf("call %s/%s", s, t), n.Insert("", "server", s, "type"), tool.Replace("", t))}
			}
		}
		return nil
	}
	n.callee = callee{server, name}
	var d *diag.Diagnostic
	fixes := []diag.Fix{n.Insert("", "server", server, "type")}
	if name != tool.Text() {
		d = p.Report(ruleToolPath, tool, n, "%q names both server and tool", tool.Text())
		fixes = append(fixes, tool.Replace("", name))
	} else {
		d = p.Report(ruleMissingField, n.where(), n, "node %q of type mcp has no %q", n.ID, "server")
	}
	d.Hint = fmt.Sprintf("write server: %s, tool: %s", server, name)
	d.Fixes = []diag.Fix{graph.Join(d.Hint, fixes...)}
	found, _ := p.env.Tools.Tool(server, name)
	return found
}
