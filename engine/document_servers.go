package engine

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleDefinesServers = diag.Define("defines-servers", diag.Error,
		"A graph sent by an agent defines MCP servers. That would run commands of the agent's choosing: only the operator's files define servers.")
	ruleServerEnvironment = diag.Define("server-environment", diag.Note,
		"A document defines a server that is a command, and not its env. The process gets PATH, HOME and a few other variables. mcpGraph passes its whole environment. List what the server needs in env, or write env: {} if it needs nothing more.")
)

// documentServers checks the servers that the document defines: in a graph that a client
// sent there are none.
func (p *Pass) documentServers() {
	v := p.tree.MCPServers
	switch {
	case !v.Exists():
	case p.env.Untrusted:
		d := p.Report(ruleDefinesServers, keyOf(v), nil, "a graph sent by a client cannot define servers")
		d.Hint = "leave mcpServers out and use the servers that get_node_types lists"
		d.Fixes = []diag.Fix{v.Remove("remove mcpServers")}
	default:
		p.noteEnvironment(v)
	}
}

// noteEnvironment reports, once, the servers that may need variables which they do not
// get.
func (p *Pass) noteEnvironment(servers graph.Value) {
	var first graph.Value
	more := 0
	for name, s := range servers.Members() {
		switch {
		case !s.Get("command").Exists() || s.Get("env").Exists():
		case first.Exists():
			more++
		default:
			first = servers.Key(name)
		}
	}
	if !first.Exists() {
		return
	}
	what := fmt.Sprintf("the server %q gets", diag.Brief(first.Text()))
	if more > 0 {
		what = fmt.Sprintf("the server %q and %d more get", diag.Brief(first.Text()), more)
	}
	d := p.Report(ruleServerEnvironment, first, nil, "%s PATH, HOME and a few other variables of the environment, not all as in mcpGraph", what)
	d.Hint = `list what it needs, as env: {API_TOKEN: "${API_TOKEN}"}; env: {} says that it needs nothing more`
}
