package engine_test

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// stock is a shelf, one server that is starting, one that is down and a tool that is denied.
type stock struct{ shelf }

func (s stock) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	switch server {
	case "slow":
		f := diag.Faultf("server-starting", "server %q is still starting", server)
		f.Hint = "try again in a few seconds"
		return nil, f
	case "dead":
		f := diag.Faultf("server-failed", "server %q cannot be started: exit status 1", server)
		f.Hint = "its last output: no such module"
		return nil, f
	}
	if server == "guest" {
		f := diag.Faultf("untrusted-file", "graph.yaml is not trusted, so its servers are not started and their tools are not checked")
		f.Hint = "look at the file, then run patchbay trust graph.yaml; --connect starts its servers for this command only"
		return nil, f
	}
	if server+"/"+tool == "files/erase" {
		f := diag.Faultf("tool-denied", "the tool %q of server %q is denied", tool, server)
		f.Hint = "the operator denies it by expose.deny in the configuration"
		return nil, f
	}
	if server == "files" && tool == "moved" {
		f := diag.Faultf("tool-changed", "tool %q of server %q has changed since it was pinned, so it is not called", tool, server)
		f.Hint = "patchbay mcp info files moved shows the change; a person accepts it with patchbay mcp approve files moved"
		return nil, f
	}
	return s.shelf.Tool(server, tool)
}

// offered are the tools that the fixtures call.
var offered = func() stock {
	path := `"path":{"type":"string","description":"path of the folder"}`
	s := shelf{}.
		put("files", "list", `{"type":"object","required":["path"],"additionalProperties":false,"properties":{`+path+`,
			"depth":{"type":"integer","maximum":10},"hidden":{"type":"boolean"},"sort":{"enum":["name","size"]},
			"names":{"type":"array","items":{"type":"string"}},"extra":{"type":"object"}}}`,
			`{"type":"object","required":["files"],"properties":{"content":{"type":"string"},"files":{"type":"array","items":{"type":"object","required":["name","size"],
			"properties":{"name":{"type":"string"},"size":{"type":"number"}},"additionalProperties":false}}},"additionalProperties":false}`).
		put("files", "write", `{"type":"object","required":["path","text"],"properties":{`+path+`,"text":{"type":"string"}}}`, `{"type":"object","properties":{"bytes":{"type":"number"}}}`).
		put("files", "remove", `{"type":"object","required":["path"],"properties":{`+path+`}}`, "").
		put("odd", "broken-schema", `{"type":"object","properties":{"a":{"type":"colour"}}}`, "").
		put("filesystem", "list_directory", `{"type":"object","required":["path"],"properties":{`+path+`}}`, `{"type":"object","properties":{"content":{"type":"string"}},"required":["content"],"additionalProperties":false}`)
	yes := true
	s.put("files", "ls", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, "")
	s["files/ls"].Spec.Description = "DEPRECATED: use list instead."
	s["files/remove"].Spec.Annotations = &specs.Annotations{Destructive: &yes, Trusted: true}
	s.put("odd", "parts", `{"type":"object"}`, "")
	s["odd/parts"].Observed = schema.New([]byte(`{"type":"array","items":{"type":"string"}}`))
	return stock{s}
}()

// described is the knowledge of some nodes of another system.
type described struct{}

func (described) Subtypes(nodeType string) (list []string) {
	for _, s := range describedNodes {
		if s.NodeType == nodeType {
			list = append(list, s.Subtype)
		}
	}
	return list
}

func (d described) Meant(name string) (nodeType, hint string) {
	if name = strings.ToUpper(strings.ReplaceAll(name, " ", "_")); d.Subtypes(name) != nil {
		return name, ""
	}
	if name == "MEMORY_NODE" {
		return name, "switch on the pack that has it"
	}
	return "", ""
}

func (described) Node(nodeType, subtype string) *specs.Spec {
	for _, s := range describedNodes {
		if s.NodeType == nodeType && s.Subtype == subtype {
			return s
		}
	}
	return nil
}

var describedNodes = []*specs.Spec{
	{
		NodeType: "ACTION_NODE", Subtype: "HTTP_REQUEST", NotRunnable: true,
		Parameters: []specs.Parameter{
			{Name: "url", Type: "string", Required: true, Description: "address to ask"},
			{Name: "method", Type: "string", EnumValues: []any{"GET", "POST"}},
			{Name: "retries", Type: "integer"},
			{Name: "proxy", Type: "url"},
			{Name: "schedule", Type: "cron"},
			{Name: "alert", Type: "email"},
			{Name: "wait", Type: "float"},
			{Name: "headers", Type: "json"},
		},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", MaxConnections: 1}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", MaxConnections: 1}},
	},
	{
		NodeType: "TRIGGER_NODE", Subtype: "CHAT", NotRunnable: true,
		OutputPorts: []specs.Port{jsonPort("main", "MAIN", `{"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}}`)},
	},
	{
		NodeType: "TRIGGER_NODE", Subtype: "CRON", NotRunnable: true,
		OutputPorts: []specs.Port{jsonPort("main", "MAIN", `{"type": "object", "required": ["time"], "properties": {"time": {"type": "string"}}}`)},
	},
	{NodeType: "TOOL_NODE", Subtype: "LOOKUP", NotRunnable: true, OutputPorts: []specs.Port{{Name: "tool", Type: "AI_TOOL"}}},
	{
		NodeType: "AGENT_NODE", Subtype: "ASSISTANT", NotRunnable: true,
		InputPorts: []specs.Port{
			{Name: "main", Type: "MAIN", Required: true, MaxConnections: 1, ValidationSchema: json.RawMessage(`{"type": "object", "required": ["message"]}`)},
			{Name: "tools", Type: "AI_TOOL"},
		},
		OutputPorts: []specs.Port{{Name: "main", Type: "MAIN"}, {Name: "error", Type: "ERROR"}},
	},
	{NodeType: "ACTION_NODE", Subtype: "LOG", NotRunnable: true, InputPorts: []specs.Port{{Name: "main", Type: "MAIN", Required: true}}},
}

func jsonPort(name, typ, data string) specs.Port {
	return specs.Port{Name: name, Type: typ, DataFormat: &specs.DataFormat{MimeType: "application/json", Schema: json.RawMessage(data)}}
}

// offeredWeb is an operator who allows requests to one API and offers one
// variable.
type offeredWeb struct{}

func (offeredWeb) Allows(url string, _ []string) *diag.Fault {
	if strings.HasPrefix(url, "https://api.example.com/") {
		return nil
	}
	f := diag.Faultf("http-not-allowed", "the operator does not allow requests to %s", url)
	f.Hint = "the allowed URLs begin with https://api.example.com/"
	return f
}

func (w offeredWeb) Begins(url string) *diag.Fault { return w.Allows(url, nil) }

func (offeredWeb) Variables() []string { return []string{"API_TOKEN"} }

// offeredHooks are hook modules, and a check that knows one fault.
type offeredHooks struct{}

func (offeredHooks) Modules() []string { return []string{"audit", "redact"} }

// ModuleFault implements [engine.Hooks].
func (offeredHooks) ModuleFault(string) string { return "" }

func (offeredHooks) CheckScript(script string) []engine.ScriptFault {
	const bad = "!== ;"
	at := strings.Index(script, bad)
	if at < 0 {
		return nil
	}
	at += len(bad) - 1
	return []engine.ScriptFault{{Start: at, End: at + 1, Message: "unexpected token ;"}}
}
