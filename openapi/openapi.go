// Package openapi makes MCP tools of a REST API that an OpenAPI document describes:
// one tool for each operation, whose arguments are the operation's parameters and body,
// and whose result is the body of its answer.
//
// [Tools] reads OpenAPI 3.0 and 3.1, JSON or YAML, from a file, a URL or a text;
// [Register] adds the tools to an MCP server. Credentials and addresses come from the
// [Options] and the document, never from arguments. Numbers keep their digits in
// schemas, arguments and results.
//
// It knows nothing of graphs or catalogs, and imports diag, internal/apis and internal/files.
package openapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/apis"
)

// Options say which API, and how its operator wants it to be called. All but Source may
// be left out.
type Options struct {
	Source string // a file, a URL or the text of the document
	Dir    string // what the path of a file is relative to

	URL       string                // of the API, in place of the document's servers
	Variables map[string]string     // of the document's server
	Headers   map[string]string     // of every request
	Auth      map[string]Credential // by the name of the document's security scheme

	// Include and Exclude choose operations: "tag:NAME", "GET", "/path/**",
	// "GET /path/*", or a pattern of operationIds such as "get*". Exclude has precedence.
	Include, Exclude []string
	Deprecated       bool     // also the deprecated ones
	Prefix           string   // of the names of the tools
	With             []string // "status" and "headers": what results have in addition to the body

	Transport http.RoundTripper // makes the requests; nil is one without a proxy
	Timeout   time.Duration     // of a call with its attempts and its answer; 0 is 30 s
	MaxBytes  int64             // of an answer, decompressed; 0 is 10 MiB
	Note      func(string)      // what was left out or changed, for the operator; nil ignores it
	Reach     func(url string)  // the servers that a document names which is not fetched itself; nil ignores it
}

// A Tool is one operation of an API.
type Tool struct {
	Definition   *mcp.Tool
	Method, Path string // such as "GET" and "/pets/{petId}"

	operation *operation
	client    *client
}

// Tools reads the document and returns a tool for each operation, in its order. The
// error names the source and the place in it. Nothing but the documents is requested.
func Tools(ctx context.Context, o Options) ([]Tool, error) {
	api, err := load(ctx, &o)
	if err != nil {
		return nil, err
	}
	return api.tools()
}

// Register adds the tools of an API to a server. The error is that of [Tools]; the
// server is then unchanged.
func Register(ctx context.Context, server *mcp.Server, o Options) error {
	tools, err := Tools(ctx, o)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if err := apis.Add(server, t.Definition, t.Handle); err != nil {
			return err
		}
	}
	return nil
}

// Handle is the [mcp.ToolHandler] of the tool. The error is always nil.
func (t *Tool) Handle(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return t.Call(ctx, r.Params.Arguments), nil
}

// Call makes one request. What goes wrong is a result that is an error and says what
// and where.
func (t *Tool) Call(ctx context.Context, arguments json.RawMessage) *mcp.CallToolResult {
	result, err := t.operation.call(ctx, t.client, arguments)
	if err != nil {
		return apis.Failure("%s", t.client.hide(err.Error()))
	}
	return result
}
