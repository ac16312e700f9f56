package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
)

// requestsIn returns the requests and notifications in the body of a request, a message or
// a batch of them, read as the SDK reads what it executes; none if the SDK refuses them. It
// answers a body of more than one JSON text: the SDK would read the first alone.
func requestsIn(w http.ResponseWriter, r *http.Request) (list []*jsonrpc.Request, ok bool) {
	if r.Method != http.MethodPost || r.ContentLength == 0 {
		return nil, true
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || !json.Valid(body) {
		http.Error(w, "malformed payload: the body is not a JSON text", http.StatusBadRequest)
		return nil, false
	}
	batch := []json.RawMessage{body}
	if bytes.TrimSpace(body)[0] == '[' {
		_ = json.Unmarshal(body, &batch) // it is valid
	}
	for _, text := range batch {
		message, err := messages.Decode(text)
		if err != nil {
			return nil, true
		}
		if request, is := message.(*jsonrpc.Request); is {
			list = append(list, request)
		}
	}
	return list, true
}

// toolCalls counts the calls of tools.
func toolCalls(list []*jsonrpc.Request) (n int) {
	for _, request := range list {
		if request.Method == "tools/call" {
			n++
		}
	}
	return n
}

// param returns a parameter of the request, if it is the only one in a body.
func param(list []*jsonrpc.Request, name string) json.RawMessage {
	if len(list) != 1 {
		return nil
	}
	params, _ := messages.Members(list[0].Params)
	return params[name]
}

// namesTask checks the header that routes a request about a task, Mcp-Name, against its body:
// the SDK does so for the methods that it knows. If they differ, it answers the request.
func namesTask(w http.ResponseWriter, r *http.Request, list []*jsonrpc.Request) bool {
	switch r.Header.Get("Mcp-Method") {
	case tasksGet, tasksUpdate, tasksCancel:
	default:
		return true
	}
	var task *string
	name := strings.TrimSpace(r.Header.Get("Mcp-Name"))
	if json.Unmarshal(param(list, "taskId"), &task) != nil || task == nil || *task == name {
		return true // what else is wrong is said by the SDK
	}
	message := fmt.Sprintf("header mismatch: the Mcp-Name header value %q is not the taskId of the body, %q", name, *task)
	if name == "" {
		message = "missing required Mcp-Name header"
	}
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": list[0].ID.Raw(), "error": map[string]any{"code": mcp.CodeHeaderMismatch, "message": message}})
	if err != nil {
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(reply)
	return false
}
