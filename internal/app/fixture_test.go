package app_test

import (
	"cmp"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/workspace"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// offered are tools with the schemas that real servers have: enums, ranges,
// nested objects, closed maps, names in snake_case and with hyphens.
var offered = map[string][]mcp.Tool{
	"mail": {{
		Name: "send_email", Description: "Sends an e-mail",
		InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["to","subject","body"],"properties":{
			"to":{"type":"array","items":{"type":"string"},"minItems":1,"description":"addresses of the recipients"},
			"cc":{"type":"array","items":{"type":"string"}},
			"subject":{"type":"string"},"body":{"type":"string"},"html":{"type":"boolean"},
			"priority":{"type":"string","enum":["low","normal","high"]},
			"attachments":{"type":"array","items":{"type":"object","required":["filename","content"],"properties":{"filename":{"type":"string"},"content":{"type":"string"}}}}}}`),
	}},
	"github": {
		{
			Name: "get_issue", Description: "Reads an issue of a repository",
			InputSchema: json.RawMessage(`{"type":"object","required":["owner","repo","issue_number"],"properties":{
				"owner":{"type":"string"},"repo":{"type":"string"},"issue_number":{"type":"integer","description":"number of the issue"}}}`),
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"body":{"type":"string"},"labels":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}},"required":["title"]}`),
		},
		{
			Name: "search_repositories", Description: "Searches for repositories",
			InputSchema: json.RawMessage(`{"type":"object","required":["query"],"properties":{
				"query":{"type":"string"},"page":{"type":"number"},"sort":{"type":"string","enum":["stars","forks","updated"]}}}`),
		},
	},
	"weather": {{
		Name: "get-forecast", Description: "The weather of the next days",
		InputSchema: json.RawMessage(`{"type":"object","required":["city"],"properties":{
			"city":{"type":"string"},"days":{"type":"integer","minimum":1,"maximum":10},"units":{"type":"string","enum":["metric","imperial"]}}}`),
	}},
}

// product is a Patchbay over the workspace server, which reads an empty folder,
// and the offered tools, each of which answers with its arguments.
func product(t testing.TB) *app.App {
	t.Helper()
	files, err := workspace.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return over(t, offered, downstream.Server{Name: "workspace", InProcess: files, Trusted: true})
}

// over is a Patchbay over servers, and such that offer tools, each of which
// answers with its arguments.
func over(t testing.TB, offered map[string][]mcp.Tool, servers ...downstream.Server) *app.App {
	t.Helper()
	return overWith(t, app.Options{}, offered, servers...)
}

// overWith is over with other options besides.
func overWith(t testing.TB, o app.Options, offered map[string][]mcp.Tool, servers ...downstream.Server) *app.App {
	t.Helper()
	for name, tools := range offered {
		s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
		for _, tool := range tools {
			s.AddTool(&tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{StructuredContent: r.Params.Arguments}, nil
			})
		}
		servers = append(servers, downstream.Server{Name: name, InProcess: s})
	}
	if o.Servers = servers; servers == nil {
		o.Servers = []downstream.Server{}
	}
	return started(t, o)
}

// started is an App whose servers are started, until the test ends.
func started(t testing.TB, o app.Options) *app.App {
	t.Helper()
	for i, s := range o.Servers {
		o.Servers[i].StartTimeout = cmp.Or(s.StartTimeout, testenv.Limit(time.Minute))
	}
	pb := app.New(o)
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	return pb
}

// startedOver is an App over servers in this process.
func startedOver(t testing.TB, o app.Options, servers map[string]*mcp.Server) *app.App {
	t.Helper()
	for name, s := range servers {
		o.Servers = append(o.Servers, downstream.Server{Name: name, InProcess: s})
	}
	return started(t, o)
}
