package engine

import (
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// DocumentFields describes the keys of a document with several tools.
func DocumentFields() []Field {
	return []Field{
		{Name: "version", Type: "string", Doc: `version of the format: "1.0"`},
		{Name: "server", Type: "object", Doc: "the document as a server: {name, version}"},
		{Name: "executionLimits", Type: "object", Doc: "bounds of each run: {maxNodeExecutions, maxExecutionTimeMs, maxResultBytes, maxTraceBytes, maxTokens, maxTokensPerDay}; the operator's stay the ceiling"},
		{Name: "mcpServers", Type: "object", Doc: "MCP servers of the document, by name: {command, args, env} or {url, headers}"},
		{Name: "tools", Type: "array", Required: true, Doc: "the graphs; each is a tool"},
		exposeField,
	}
}

// ToolFields describes the keys of a graph: of a tool of a document, or of a document that
// is one graph.
func ToolFields() []Field {
	return []Field{
		{Name: "name", Type: "string", Doc: "name of the tool"},
		{Name: "title", Type: "string", Doc: "name that people see"},
		{Name: "description", Type: "string", Doc: "what the tool does, for who calls it"},
		{Name: "inputSchema", Type: "object", Doc: "JSON Schema of the arguments: type object"},
		{Name: "outputSchema", Type: "object", Doc: "JSON Schema of the result"},
		{Name: "nodes", Type: "array", Required: true, Doc: "the nodes, from one entry to an exit"},
		{Name: "workflow", Type: "object", Doc: "around which calls the graph runs: {on, enabled, match, priority}"},
		{Name: "source", Type: "object", Doc: "the function that the graph was compiled from: {language, text, hash}; an edit of the nodes detaches it"},
		exposeField,
	}
}

var exposeField = Field{Name: "expose", Type: "boolean", Doc: "whether the saved graph is an MCP tool by itself"}

func fieldNames(fields []Field) []string {
	return lists.Each(fields, func(f Field) string { return f.Name })
}

// LimitKeys are the keys of executionLimits.
var LimitKeys = []string{"maxNodeExecutions", "maxExecutionTimeMs", "maxResultBytes", "maxTraceBytes", "maxTokens", "maxTokensPerDay"}

// limits reads the document's execution limits. Zero is what it does not say.
func (p *Pass) limits(v graph.Value) run.Limits {
	if !v.Exists() {
		return run.Limits{}
	}
	members := p.readKeys(v, "executionLimits", nil, LimitKeys, foreignWords["executionLimits"])
	ceiling := p.env.Limits.OrCeiling()
	read := func(key string, most int64) int64 {
		m, ok := members[key]
		if !ok {
			return 0
		}
		n, ok := m.Int()
		if !ok || n <= 0 {
			p.Report(ruleBadLimit, m, nil, "%s is %s, expected a whole number above 0", key, diag.Cut(string(raw(m)), 40))
			return 0
		}
		if n > most {
			p.Report(ruleLimitCeiling, m, nil, "%s is %d, above the operator's ceiling of %d", key, n, most).Hint = "the run gets the ceiling; the operator can raise it with limits." + key + " in patchbay.yaml"
			return most
		}
		return n
	}
	return run.Limits{
		MaxNodeExecutions: int(read("maxNodeExecutions", int64(ceiling.MaxNodeExecutions))),
		MaxExecutionTime:  time.Duration(read("maxExecutionTimeMs", ceiling.MaxExecutionTime.Milliseconds())) * time.Millisecond,
		MaxResultBytes:    int(read("maxResultBytes", int64(ceiling.MaxResultBytes))),
		MaxTraceBytes:     int(read("maxTraceBytes", int64(ceiling.MaxTraceBytes))),
		MaxTokens:         int(read("maxTokens", int64(ceiling.MaxTokens))),
		MaxTokensPerDay:   int(read("maxTokensPerDay", int64(ceiling.MaxTokensPerDay))),
	}
}

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
		p.Report(ruleDefinesServers, memberKey(v), nil, "a graph sent by a client cannot define servers").
			WithFix("leave mcpServers out and use the servers that get_node_types lists", v.Remove("remove mcpServers"))
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
		case !s.Has("command") || s.Has("env"):
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
	p.Report(ruleServerEnvironment, first, nil, "%s PATH, HOME and a few other variables of the environment, not all as in mcpGraph", what).Hint = `list what it needs, as env: {API_TOKEN: "${API_TOKEN}"}; env: {} says that it needs nothing more`
}
