package engine

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// recoverType finds the type of a node under another name.
func (p *Pass) recoverType(n *Node) {
	if key := n.textKey(typeKeys); key != "" && !n.Type.Exists() {
		p.renameKey(ruleMissingType, n.Value, n, key, "type", fmt.Sprintf("the node has no type, only %q", key), "")
		n.suppress(key)
		n.Type = n.Get(key)
	}
}

func (p *Pass) missingType(n *Node) {
	guess := p.kindByFields(n)
	d := p.Report(ruleMissingType, n.where(), n, "node %q has no type", n.ID)
	if guess == "" {
		d.Hint = "the types are " + strings.Join(p.typeNames(), ", ")
		return
	}
	n.Kind = p.env.kinds().types[guess]
	d.WithFix("write type: "+guess, n.Insert("write type: "+guess, "type", guess, "id"))
}

// kindByFields returns the type that the fields of a node show, or "".
func (p *Pass) kindByFields(n *Node) string {
	guess, most := "", 0
	for _, k := range p.env.kinds().Kinds() {
		found := 0
		for _, name := range k.Evidence {
			if n.Has(name) {
				found++
			}
		}
		if found > most {
			guess, most = k.Spec.NodeType, found
		}
	}
	return guess
}

// typeIsTool recovers from a tool's name in the place of the type.
func (p *Pass) typeIsTool(n *Node, v graph.Value) bool {
	if p.env.Tools == nil || !p.helps() {
		return false
	}
	server, tool, ok := p.env.Tools.Resolve(v.Text())
	if !ok {
		return false
	}
	p.Report(ruleTypeIsTool, v, n, "%q is a tool, not a node type", v.Text()).
		WithFix(fmt.Sprintf("write type: mcp, server: %s, tool: %s", server, tool),
			graph.Join(fmt.Sprintf("call %s/%s by an mcp node", server, tool), append(n.calling(server, tool), v.Replace("", specs.MCP))...))
	n.Kind = p.env.kinds().types[specs.MCP]
	n.suppress("server", "tool")
	n.callee = callee{server, tool}
	return true
}

// typeIsIdiom reports a node that names an idiom, which is a pattern and not a node.
func (p *Pass) typeIsIdiom(n *Node, v graph.Value) bool {
	name, idiom, full := strings.Cut(v.Text(), ":")
	if name != specs.Idiom {
		return false
	}
	if !full {
		idiom = n.Get("subtype").Text()
	}
	p.Report(ruleTypeIsIdiom, v, n, "an idiom is a pattern to copy, not a node").Hint = fmt.Sprintf("get_node_details {\"nodes\": [{\"id\": %q}]} shows its graph; copy the nodes that you need", (&specs.Spec{NodeType: specs.Idiom, Subtype: idiom}).ID())
	return true
}

// toolMap recovers from a tool that is a map with the server in it.
func (p *Pass) toolMap(n *Node, tool graph.Value) bool {
	name, server := firstMember(tool, "name", "tool"), tool.Get("server")
	if !name.Is(graph.String) {
		return false
	}
	d := p.Report(ruleWrongShape, tool, n, "tool is a map, expected a name")
	d.Hint = "write tool: " + name.Text()
	if server.Is(graph.String) && !n.Field("server").Exists() {
		d.Hint = fmt.Sprintf("write server: %s, tool: %s", server.Text(), name.Text())
	}
	fixes := n.calling(server.Text(), name.Text())
	if args := firstMember(tool, append([]string{"args"}, n.Kind.field("args").Aliases...)...); args.Is(graph.Object) && !n.Field("args").Exists() {
		fixes = append(fixes, n.Insert("", "args", raw(args), "tool"))
	}
	d.Offer(graph.Join(d.Hint, fixes...))
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
				d.WithFix(fmt.Sprintf("did you mean server: %s, tool: %s?", s, t), graph.Join(fmt.Sprintf("call %s/%s", s, t), n.calling(s, t)...))
			}
		}
		return nil
	}
	n.callee = callee{server, name}
	rule, at, message := ruleMissingField, n.where(), fmt.Sprintf("node %q of type mcp has no %q", n.ID, "server")
	if name != tool.Text() {
		rule, at, message = ruleToolPath, tool, fmt.Sprintf("%q names both server and tool", tool.Text())
	}
	write := fmt.Sprintf("write server: %s, tool: %s", server, name)
	p.Report(rule, at, n, "%s", message).WithFix(write, graph.Join(write, n.calling(server, name)...))
	found, _ := p.env.Tools.Tool(server, name)
	return found
}

// calling is the fixes that make a node name the tool it calls.
func (n *Node) calling(server, tool string) (fixes []diag.Fix) {
	if !n.Field("server").Exists() && !n.Has("server") && server != "" {
		fixes = append(fixes, n.Insert("", "server", server, "type"))
	}
	switch given := firstExisting(n.Field("tool"), n.Get("tool")); {
	case !given.Exists():
		fixes = append(fixes, n.Insert("", "tool", tool, "type"))
	case given.Text() != tool:
		fixes = append(fixes, given.Replace("", tool))
	}
	return fixes
}
