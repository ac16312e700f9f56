package servers

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// GatewayDefinition is that of a tool under a name, as clients accept it, and what of it they
// do not.
func GatewayDefinition(t *tooldef.Tool, name string, maxOutput int) (json.RawMessage, []string, error) {
	raw := t.Raw
	if raw == nil { // from a cache of a process without a gateway
		whole := map[string]any{"name": t.Name, "inputSchema": t.InputSchema}
		if t.Title != "" {
			whole["title"] = t.Title
		}
		if t.Description != "" {
			whole["description"] = t.Description
		}
		if len(t.OutputSchema) > 0 {
			whole["outputSchema"] = t.OutputSchema
		}
		if a := t.Annotations; a != nil {
			hints := map[string]bool{}
			for name, hint := range map[string]*bool{"readOnlyHint": a.ReadOnly, "destructiveHint": a.Destructive, "idempotentHint": a.Idempotent, "openWorldHint": a.OpenWorld} {
				if hint != nil {
					hints[name] = *hint
				}
			}
			whole["annotations"] = hints
		}
		var err error
		if raw, err = json.Marshal(whole); err != nil {
			return nil, nil, err
		}
	}
	return listing.Tool(raw, name, maxOutput)
}

// MaxOutput is how many bytes an outputSchema may have to be listed with those of these tools.
func MaxOutput(tools []*tooldef.Tool) int {
	sizes := lists.Each(tools, func(t *tooldef.Tool) int { return len(t.OutputSchema) })
	return listing.MaxOutput(sizes)
}
