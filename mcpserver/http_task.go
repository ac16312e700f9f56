package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// namesTask checks the header that routes a request about a task, Mcp-Name, against its body:
// the SDK does so for the methods that it knows. If they differ, it answers the request.
func namesTask(w http.ResponseWriter, r *http.Request) bool {
	switch r.Header.Get("Mcp-Method") {
	case tasksGet, tasksUpdate, tasksCancel:
	default:
		return true
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var request struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			TaskID *string `json:"taskId"`
		} `json:"params"`
	}
	name := strings.TrimSpace(r.Header.Get("Mcp-Name"))
	if err != nil || json.Unmarshal(body, &request) != nil || request.Params.TaskID == nil || *request.Params.TaskID == name {
		return true // what else is wrong is said by the SDK
	}
	message := fmt.Sprintf("header mismatch: the Mcp-Name header value %q is not the taskId of the body, %q", name, *request.Params.TaskID)
	if name == "" {
		message = "missing required Mcp-Name header"
	}
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": request.ID, "error": map[string]any{"code": mcp.CodeHeaderMismatch, "message": message}})
	if err != nil {
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(reply)
	return false
}
