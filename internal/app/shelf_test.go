package app_test

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// shelf is the tools of testdata/search/servers.txt, by server, as their servers
// would list them.
func shelf(t testing.TB) map[string][]*specs.Spec {
	t.Helper()
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	type inputSchema struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}
	all := map[string][]*specs.Spec{}
	for server, tools := range searchdata.Tools(t, "../../testdata/search/servers.txt") {
		for _, tool := range tools {
			schema := inputSchema{Type: "object", Properties: map[string]property{}}
			for _, p := range tool.Parameters {
				schema.Properties[p.Name] = property{p.Type, p.Description}
				if p.Required {
					schema.Required = append(schema.Required, p.Name)
				}
			}
			input, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			all[server] = append(all[server], tooldef.Spec(&tooldef.Tool{
				Server: server, Name: tool.Name, Description: tool.Description, InputSchema: input, Hash: "0123456789abcdef",
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`),
			}))
		}
	}
	return all
}

// withShelf is a Patchbay over those tools, none of which can be called.
func withShelf(t testing.TB) *app.App {
	t.Helper()
	cat := catalog.New()
	n := 0
	for server, list := range shelf(t) {
		cat.Replace("server:"+server, list)
		n += len(list)
	}
	if n < 300 {
		t.Fatalf("the fixture has %d tools, want 300", n)
	}
	return app.New(app.Options{Catalog: cat})
}
