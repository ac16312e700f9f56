//go:build linux || darwin

package outages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// values is how many values each caller has.
const values = 40

// value is what only one caller sends, and in one call at a time.
func value(caller, n int) string { return fmt.Sprintf("value-%d-%d-end", caller, n) }

// A caller is a session with Patchbay.
type caller interface {
	CallTool(ctx context.Context, p *mcp.CallToolParams) (*mcp.CallToolResult, error)
}

// An answer is how a call has ended.
type answer struct {
	own   bool   // with the value that was sent
	code  string // else with this error
	text  string
	wrong string // how it must not end
}

// call calls the tool of a server with a value, by run_node or by a graph.
func call(ctx context.Context, session caller, s server, alone bool, n, i int) answer {
	tool, args := s.call(n, i)
	p := &mcp.CallToolParams{Name: "run_node", Arguments: map[string]any{"id": "mcp:" + s.name() + "/" + tool, "arguments": args}}
	if !alone {
		p.Name, p.Arguments = "run_graph", map[string]any{"graph": map[string]any{"name": "g", "nodes": []any{
			map[string]any{"id": "entry", "type": "entry", "next": "c"},
			map[string]any{"id": "c", "type": "mcp", "server": s.name(), "tool": tool, "args": args, "next": "exit"},
			map[string]any{"id": "exit", "type": "exit", "result": map[string]any{"expr": "$.c"}},
		}}}
	}
	res, err := session.CallTool(ctx, p)
	if err != nil {
		return answer{wrong: "no answer: " + err.Error()}
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return answer{wrong: err.Error()}
	}
	a := answer{text: string(b)}
	var reply struct {
		Status      string
		Error       struct{ Code string }
		Diagnostics []struct{ Code string }
	}
	if err := json.Unmarshal(b, &reply); err != nil {
		a.wrong = "not a reply: " + a.text
		return a
	}
	switch {
	case !res.IsError && reply.Status == "succeeded":
		a.own = strings.Contains(a.text, value(n, i)) && strings.Count(a.text, "-end") == strings.Count(a.text, value(n, i))
		if !a.own {
			a.wrong = "another answer than that of " + value(n, i) + ": " + a.text
		}
		return a
	case len(reply.Diagnostics) > 0:
		a.code = reply.Diagnostics[0].Code
	default:
		a.code = cmp.Or(reply.Error.Code, reply.Status)
	}
	if !strings.Contains(a.text, s.name()) || a.code == "internal-error" {
		a.wrong = "an error that does not name the server: " + a.text
	}
	return a
}
