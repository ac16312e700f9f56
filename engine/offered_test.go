package engine_test

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/specs"
)

// stock is a shelf, one server that is starting and one that is down.
type stock struct{ shelf }

func (s stock) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	switch server {
	case "slow":
		f := diag.Faultf("server-not-ready", "server %q is still starting", server)
		f.Hint = "try again in a few seconds"
		return nil, f
	case "dead":
		f := diag.Faultf("server-failed", "server %q cannot be started: exit status 1", server)
		f.Hint = "its last output: no such module"
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
	return stock{s}
}()

// described is the knowledge of one node of another system.
type described struct{}

func (described) Subtypes(nodeType string) []string {
	if nodeType == "ACTION_NODE" {
		return []string{"HTTP_REQUEST"}
	}
	return nil
}

func (described) Node(nodeType, subtype string) *specs.Spec {
	if nodeType != "ACTION_NODE" || subtype != "HTTP_REQUEST" {
		return nil
	}
	return &specs.Spec{
		NodeType: nodeType, Subtype: subtype, NotRunnable: true,
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
	}
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
