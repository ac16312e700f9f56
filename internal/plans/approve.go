package plans

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// WaitingChange says what the change of a tool means that waits for a person.
func (pl *Plans) WaitingChange(server, tool string) *servers.ToolChange {
	pin := pl.servers.Hub.Pin(server, tool)
	if pin == nil || pin.Pending == nil {
		return nil
	}
	return servers.Classify(pin.Definition, pin.Pending.Definition, pl.UsesOf(server, tool))
}

// Pass is [downstream.Options.Pass]: a change passes that is compatible with how the graphs
// use the tool.
func (pl *Plans) Pass(server string, from, to json.RawMessage) (definition json.RawMessage, what string) {
	var t struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(to, &t) != nil {
		return nil, ""
	}
	c := servers.Classify(from, to, pl.UsesOf(server, t.Name))
	if c.Class != servers.ChangeCompatible {
		return nil, ""
	}
	return servers.ServedDefinition(from, to), strings.Join(c.Reasons, "; ")
}
