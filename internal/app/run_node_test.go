package app_test

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// The arguments of run_node reach the tool as they were sent, whatever they look
// like, and a replay of the run computes with the same.
func TestRunNodeTakesArgumentsLiterally(t *testing.T) {
	pb := over(t, map[string][]mcp.Tool{"echo": {
		{Name: "any", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Name: "path", InputSchema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"limit":{"type":"integer"}}}`)},
		{Name: "query", InputSchema: json.RawMessage(`{"type":"object","required":["expr"],"properties":{"expr":{"type":"string"}},"additionalProperties":true}`)},
	}})
	for _, tt := range []struct{ id, arguments string }{
		{"mcp:echo/path", `{"path":"$.store.book"}`},
		{"mcp:echo/path", `{"path":"$sum([1, 2])"}`},
		{"mcp:echo/path", `{"path":"{{ entry.path }} ${entry.path}"}`},
		{"mcp:echo/any", `{"a":{"expr":"1 + 1"},"b":[{"expr":"$.entry"}]}`},
		{"mcp:echo/any", `{"expr":"$.entry","language":"jsonata"}`},
		{"mcp:echo/any", `{"a":{"$placeholder":"the name"},"b":null,"c":9007199254740993}`},
		{"mcp:echo/any", `{}`},
		{"mcp:echo/query", `{"expr":"$.entry"}`},
		{"mcp:echo/query", `{"expr":"$sum(x)","a":[1],"b":[[]],"c":null,"d \"e\"":{"x":9007199254740993},"$":"<&>"}`},
	} {
		r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: tt.id, Arguments: json.RawMessage(tt.arguments)})
		switch {
		case fault != nil:
			t.Errorf("%s: %v", tt.arguments, fault)
		case string(r.Output) != tt.arguments:
			t.Errorf("%s %s: the tool was sent %s; %v %v", tt.id, tt.arguments, r.Output, r.Error, r.Diags)
		default:
			again, fault := pb.ReplayRun(t.Context(), execution.ReplayRunInput{RunID: r.RunID})
			if fault != nil || len(again.Differences) > 0 {
				t.Errorf("%s, replayed: %v %+v", tt.arguments, fault, again)
			}
		}
	}
}

// Arguments that do not satisfy the tool's schema are refused before the call.
func TestRunNodeChecksArguments(t *testing.T) {
	pb := over(t, offered)
	for arguments, code := range map[string]string{
		`{"city":"Rome","days":"$.entry.n"}`:      "wrong-arg-type",
		`{"city":"Rome","units":"$.entry.units"}`: "not-in-enum",
		`{"days":1}`:                    "missing-argument",
		`[1]`:                           "args-shape",
		`{"arguments":{"city":"Rome"}}`: "args-shape",
		`{"city":"Rome","days":{"$placeholder":"days"}}`: "wrong-arg-type",
	} {
		r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:weather/get-forecast", Arguments: json.RawMessage(arguments)})
		if fault != nil || len(r.Diags) == 0 || r.Diags[0].Code != code {
			t.Errorf("%s: %v %+v, want %s", arguments, fault, r, code)
		}
	}
}
