package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestDetailsAreBounded asks for tools whose schemas are as large as a server may list
// them: what is shown of each stays small, and says what is left out.
func TestDetailsAreBounded(t *testing.T) {
	many := func(item func(i int) string) string {
		var items []string
		for i := range 4900 {
			items = append(items, item(i))
		}
		return strings.Join(items, ",")
	}
	key := func(i int) string { return fmt.Sprintf(`"key%d"`, i) }
	text := func(i int) string { return key(i) + `:{"type":"string"}` }
	schemas := map[string]string{
		"wide":    `{"type":"object","required":[` + many(key) + `],"properties":{` + many(text) + `}}`,
		"choices": `{"type":"object","required":["a"],"properties":{"a":{"enum":[` + many(key) + `],"pattern":"x"}}}`,
		"long":    `{"type":"object","required":["a"],"properties":{"a":{"type":"string","description":"` + strings.Repeat("long ", 20_000) + `"}}}`,
		"nested":  `{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":[` + many(key) + `],"properties":{` + many(text) + `}}}}`,
	}
	var tools []mcp.Tool
	for name, schema := range schemas {
		tools = append(tools, mcp.Tool{Name: name, Description: "Opens " + name + strings.Repeat(" word", 12_000), InputSchema: json.RawMessage(schema)})
	}
	pb := over(t, map[string][]mcp.Tool{"large": tools})
	if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return testenv.Limit(time.Minute) }); err != nil {
		t.Fatal(err)
	}
	const most = 100 << 10
	for name := range schemas {
		brief := details(t, pb, discover.DetailsInput{}, "mcp:large/"+name)
		if text, _ := json.Marshal(brief); len(text) > most || brief.Nodes[0].Signature == "" || name == "wide" && len(brief.LeftOut) == 0 {
			t.Errorf("%s: brief has %d bytes, %v is left out", name, len(text), brief.LeftOut)
		}
		r, fault := pb.Details(t.Context(), discover.DetailsInput{Detail: discover.Full, Nodes: []plans.NodeRef{{ID: "mcp:large/" + name}}})
		if fault != nil || r.Nodes[0].Error != "" {
			t.Fatal(name, fault, r)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > most || len(r.LeftOut) == 0 {
			t.Errorf("%s: %d bytes, %v is left out", name, len(text), r.LeftOut)
		}
		if len(r.Nodes[0].Parameters) == 0 {
			t.Errorf("%s: no parameters are shown, and %v is left out", name, r.LeftOut)
		}
	}
	found, fault := pb.Search(t.Context(), discover.SearchInput{Query: "opens", IncludeDetails: true, Detail: discover.Full, MaxResults: 50})
	if fault != nil || len(found.Results) < len(schemas) {
		t.Fatal(fault, found)
	}
	for _, hit := range found.Results {
		if text, _ := json.Marshal(hit); len(text) > most {
			t.Errorf("%s: a hit of %d bytes, %v is left out", hit.Name(), len(text), hit.LeftOut)
		}
	}
}
