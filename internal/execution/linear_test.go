package execution

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/clientcode"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/internal/tests/linear"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// TestDoublingReferences puts tools whose schemas double their references from level to
// level through everything that people and models read of a tool.
func TestDoublingReferences(t *testing.T) {
	// What these read of a type in full has a bound, which 16 levels reach.
	const written, skeleton = "client code", "skeleton"
	uses := map[string]func(raw json.RawMessage){
		"signature": func(raw json.RawMessage) {
			reply.TypedSignature(&specs.Spec{NodeType: specs.MCP, InputSchema: raw, OutputSchema: raw, Parameters: schema.Parameters(schema.Read(raw))}, nil)
		},
		"arguments": func(raw json.RawMessage) { schemaArguments(raw) },
		"published": func(raw json.RawMessage) {
			doc, _ := graph.Parse("g.yaml", []byte(`{"name":"g","inputSchema":`+string(raw)+`,"outputSchema":`+string(raw)+`,"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}`))
			tool := doc.Tools()[0]
			listing.Input(tool.InputSchema.JSON())
			listing.Output(tool.OutputSchema.JSON())
		},
		written: func(raw json.RawMessage) {
			tools := []clientcode.Tool{{Spec: &specs.Spec{NodeType: specs.MCP, Subtype: "s/t", InputSchema: raw, OutputSchema: raw}}}
			clientcode.TypeScript(tools)
		},
		skeleton: func(raw json.RawMessage) {
			drafting.Scaffold([]drafting.Step{{Callee: &drafting.Callee{Tool: "t", Input: &schema.Schema{Raw: raw}, Output: &schema.Schema{Raw: raw}}}})
		},
		"compatible": func(raw json.RawMessage) {
			one := &specs.Spec{NodeType: specs.MCP, InputSchema: raw, OutputSchema: raw}
			search.Compatible(one, one)
		},
	}
	for form := range linear.Schemas("", 0) {
		for use, do := range uses {
			t.Run(form+"/"+use, func(t *testing.T) {
				first := 4
				if use == written || use == skeleton {
					first = 16
				}
				linear.Work(t, first, func(levels int) func() {
					raw := json.RawMessage(`{"type":"object","required":["p"],"properties":{"p":{"$ref":"#/$defs/l0"}},"$defs":{` + linear.Schemas("#/$defs/", levels)[form] + `}}`)
					return func() { do(raw) }
				})
			})
		}
	}
}
