package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// The state of a parked call, and that of a question, are of no use to another principal.
func TestStatesBelongToTheirPrincipal(t *testing.T) {
	by := func(principal, state string) *mcp.CallToolRequest {
		r := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "fs_delete", Arguments: json.RawMessage(`{"path":"a"}`), RequestState: state}}
		if principal != "" {
			r.Extra = &mcp.RequestExtra{TokenInfo: httpd.TokenInfo(&access.Identity{Principal: principal})}
		}
		return r
	}
	for _, maker := range []string{"ada", ""} {
		c := &parkedCalls{states: newStates()}
		p := &parkedCall{ended: make(chan struct{}), cancel: func() {}}
		state := c.put(p, by(maker, ""))
		question := c.states.seal("run_1", principal(by(maker, "")), by(maker, "").Params)
		for _, other := range []string{"eve", "", "ada"} {
			if other == maker {
				continue
			}
			if got, own := c.take(by(other, state)); got != nil || !own {
				t.Errorf("%q got the call of %q", other, maker)
			}
			if _, err := newAsker(nil, c.states, by(other, question)); err == nil {
				t.Errorf("%q got the question of %q", other, maker)
			}
		}
		if got, _ := c.take(by(maker, state)); got != p {
			t.Errorf("%q did not get its own call", maker)
		}
		if a, err := newAsker(nil, c.states, by(maker, question)); err != nil || a.run != "run_1" {
			t.Errorf("%q did not get its own question: %v", maker, err)
		}
		close(p.ended)
	}
}
