package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

var (
	ruleUnknownServer = diag.Define("unknown-server", diag.Error,
		"No downstream server has this name. get_node_types lists the servers with their tools.")
	ruleUnknownTool = diag.Define("unknown-tool", diag.Error,
		"The server has no tool of this name.")
	ruleToolDenied = diag.Define("tool-denied", diag.Error,
		"The operator's configuration denies the tool, or a workflow has refused the list of tools, so nothing can call it. Use another tool, or ask the operator to allow it.")
	ruleServerStarting = diag.Define("server-starting", diag.Error,
		"The server is still starting, so its tools cannot be checked yet. Validate again in a few seconds.")
	ruleServerFailed = diag.Define("server-failed", diag.Error,
		"The server could not be started or reached. The message gives the reason.")
	ruleUntrustedServer = diag.Define("untrusted-server", diag.Note,
		"The document defines the server, and no person has trusted the file. A check does not start the server, so the tools of it that the graph calls are not checked. All else is.")
	ruleToolChanged = diag.Define("tool-changed", diag.Error,
		"The server has changed the definition of the tool since it was first used or approved. It is not called until a person has looked at the change (patchbay mcp info) and accepted it (patchbay mcp approve).")
	ruleToolPath = diag.Define("tool-path", diag.Error,
		"The tool's name includes the name of its server, which belongs in the field server.")
)

// callee resolves server and tool, recovering from names that carry both.
func (p *Pass) callee(n *Node) *Tool {
	server, tool := n.Field("server"), n.Field("tool")
	if n.callee.tool == "" {
		n.callee = callee{server.Text(), tool.Text()}
	}
	if !tool.Exists() && !n.suppressed["tool"] {
		p.Require(n, "tool")
		if !server.Exists() {
			p.Require(n, "server")
		}
		return nil
	}
	if p.toolMap(n, tool) {
		return nil
	}
	for _, v := range []graph.Value{server, tool} {
		if v.Exists() && !v.Is(graph.String) {
			p.Report(ruleWrongShape, v, n, "expected a name, got %s", shape(v)).Hint = "write server: <name>, tool: <name>"
			return nil
		}
	}
	if p.env.Tools == nil {
		return nil
	}
	if !server.Exists() && !n.suppressed["server"] {
		return p.serverless(n, tool)
	}
	found, fault := p.env.Tools.Tool(n.callee.server, n.callee.tool)
	if fault != nil {
		return p.noTool(n, server, tool, fault)
	}
	n.callee = callee{found.Spec.Server(), found.Spec.Tool()} // which the author may have called by others of their names
	return found
}

func toolNames(t Tools) []string {
	var names []string
	for _, full := range t.Names() {
		_, tool, _ := strings.Cut(full, "/")
		names = append(names, tool)
	}
	return names
}

// noTool reports why a tool is not to be had, and recovers with the nearest.
func (p *Pass) noTool(n *Node, server, tool graph.Value, fault *diag.Fault) *Tool {
	if len(*p.diags) > maxHelped {
		p.Report(ruleUnknownTool, firstExisting(tool, n.where()), n, "%s", fault.Message)
		return nil
	}
	switch fault.Code {
	case ruleServerStarting.Code, ruleServerFailed.Code:
		rule := ruleServerStarting
		if fault.Code == ruleServerFailed.Code {
			rule = ruleServerFailed
		}
		p.Report(rule, firstExisting(server, tool), n, "%s", fault.Message).Hint = fault.Hint
		return nil
	case ruleToolDenied.Code:
		p.Report(ruleToolDenied, firstExisting(tool, n.where()), n, "%s", fault.Message).Hint = fault.Hint
		return nil
	case ruleToolChanged.Code:
		d := p.Report(ruleToolChanged, firstExisting(tool, n.where()), n, "%s", fault.Message)
		d.Hint, d.Got = fault.Hint, fault.Got
		if len(fault.Suggestions) == 1 && tool.Exists() {
			d.Offer(changeTo(tool, fault.Suggestions[0]))
		}
		return nil
	case diag.CodeUntrustedFile:
		p.untrustedServer(n, fault)
		return nil
	case ruleUnknownServer.Code:
		return p.unknownServer(n, server, tool, fault)
	}
	return p.unknownTool(n, tool)
}

func firstExisting(values ...graph.Value) graph.Value {
	for _, v := range values {
		if v.Exists() {
			return v
		}
	}
	return graph.Value{}
}

// untrustedServer notes, once for all servers of the document, that their tools are not
// checked.
func (p *Pass) untrustedServer(n *Node, fault *diag.Fault) {
	if slices.ContainsFunc(*p.diags, func(d *diag.Diagnostic) bool { return d.Code == ruleUntrustedServer.Code }) {
		return
	}
	at := n.where()
	if p.tree.MCPServers.Exists() {
		at = memberKey(p.tree.MCPServers)
	}
	p.Report(ruleUntrustedServer, at, nil, "%s", fault.Message).Hint = fault.Hint
}

func (p *Pass) unknownServer(n *Node, server, tool graph.Value, fault *diag.Fault) *Tool {
	d := p.Report(ruleUnknownServer, firstExisting(server, n.where()), n, "%s", fault.Message)
	if !p.helps() {
		return nil
	}
	var servers []string
	for _, full := range p.env.Tools.Names() {
		if s, _, _ := strings.Cut(full, "/"); !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	near := p.closest(n.callee.server, servers)
	if s, t, ok := p.env.Tools.Resolve(n.callee.tool); near == "" && ok {
		if near = s; t != n.callee.tool {
			d.Offer(graph.Join(fmt.Sprintf("call %s/%s", s, t), server.Replace("", s), tool.Replace("", t)))
			n.callee.tool = t
		}
	}
	switch {
	case near == "":
		d.Hint = cmp.Or(fault.Hint, "the servers are "+diag.OneOf(servers, 12))
		return nil
	case len(d.Fixes) == 0:
		d.Offer(changeTo(server, near))
	}
	d.Hint = fmt.Sprintf("did you mean %q?", near)
	n.callee.server = near
	if found, fault := p.env.Tools.Tool(near, n.callee.tool); fault == nil {
		return found
	}
	return nil
}

func (p *Pass) unknownTool(n *Node, tool graph.Value) *Tool {
	d := p.Report(ruleUnknownTool, firstExisting(tool, n.where()), n, "server %q has no tool %q", n.callee.server, n.callee.tool)
	if !p.helps() {
		return nil
	}
	var there []string
	for _, full := range p.env.Tools.Names() {
		if s, t, _ := strings.Cut(full, "/"); s == n.callee.server {
			there = append(there, t)
		}
	}
	near := p.closest(n.callee.tool, there)
	if s, t, ok := p.env.Tools.Resolve(n.callee.tool); near == "" && ok && s == n.callee.server {
		near = t
	}
	if near == "" {
		d.Hint = "its tools are " + diag.OneOf(there, 12)
		for _, full := range p.env.Tools.Names() {
			if s, t, _ := strings.Cut(full, "/"); t == n.callee.tool {
				d.Hint = fmt.Sprintf("server %q has a tool of that name", s)
				if server := n.Field("server"); server.Exists() {
					d.Fixes = []diag.Fix{server.Replace(fmt.Sprintf("change the server to %q", s), s)}
				}
			}
		}
		return nil
	}
	d.Hint = fmt.Sprintf("did you mean %q?", near)
	if tool.Exists() {
		d.Offer(changeTo(tool, near))
	}
	n.callee.tool = near
	found, _ := p.env.Tools.Tool(n.callee.server, near)
	return found
}

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
