package mcpserver

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// Clients that load definitions on demand load at once what finds and calls everything else,
// and the exposed graphs, unless the operator leaves it to them.
func TestToolsThatAreLoadedAtOnce(t *testing.T) {
	long, _ := json.Marshal(`{name: long, description: "A graph that makes an invoice for each order of a customer and sends it", inputSchema: {type: object}, outputSchema: {type: object}, nodes: [{id: a, type: entry, next: b}, {id: b, type: exit}]}`)
	for _, onDemand := range []bool{false, true} {
		pb, err := app.Open(t.Context(), &config.Config{GraphsDir: t.TempDir(), ExposeMax: 20, Expose: config.Expose{OnDemand: onDemand}, Runs: config.Runs{Memory: true}}, app.Setup{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pb.Close)
		c := attach(t, New(pb, Options{}), nil)
		c.call("save_graph", `{"graph":`+string(long)+`}`)
		c.note("notifications/tools/list_changed")
		var r struct {
			Tools []struct {
				Name string         `json:"name"`
				Meta map[string]any `json:"_meta"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(c.request("tools/list", map[string]any{}).Result, &r); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{"search_nodes": true, "run_node": true, "run_graph": true, "long": true}
		found := 0
		for _, tool := range r.Tools {
			hint, _ := tool.Meta["anthropic/searchHint"].(string)
			if n := utf8.RuneCountInString(hint); want[tool.Name] != (n > 0) || n > 60 {
				t.Errorf("the hint of %s is %q", tool.Name, hint)
			}
			if at := tool.Meta["anthropic/alwaysLoad"]; (at == true) != (want[tool.Name] && !onDemand) {
				t.Errorf("on demand %t: %s has %v", onDemand, tool.Name, tool.Meta)
			}
			if want[tool.Name] {
				found++
			}
		}
		if found != len(want) {
			t.Errorf("%d of %d tools are listed", found, len(want))
		}
	}
}
