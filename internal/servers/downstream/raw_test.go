package downstream

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patchbay-mcp/patchbay/run"
)

// A result keeps the bytes of the server, and a caller that passes them on gets no more.
func TestResultsKeepTheServersBytes(t *testing.T) {
	h := startHub(t, nil, fakeServer("newcontent"))
	want := `{"content":[{"type":"hologram","depth":1.0}],"isError":true}`
	for _, raw := range []bool{false, true} {
		res, err := h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`{}`), RawOnly: raw})
		if err != nil {
			t.Fatal(err)
		}
		if string(res.Raw) != want || !res.IsError || (len(res.Content) == 0) != raw {
			t.Errorf("raw %t: %s, error %t, content %s", raw, res.Raw, res.IsError, res.Content)
		}
	}
}

// The error of a server is the cause of the fault, with its code.
func TestRefusalsKeepTheServersError(t *testing.T) {
	h := startHub(t, nil, fakeServer("ok"))
	_, err := h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "none"})
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code != -32602 || e.Message != "Unknown tool: none ()" {
		t.Errorf("the error is %v, its cause %+v", err, e)
	}
}
