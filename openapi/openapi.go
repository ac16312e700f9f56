// Package openapi makes MCP tools of a REST API that an OpenAPI document describes:
// one tool for each operation, whose arguments are the operation's parameters and body,
// and whose result is the body of its answer.
//
// [Tools] reads OpenAPI 3.0 and 3.1 and Swagger 2.0, JSON or YAML, from a file, a URL or a text;
// [Register] adds the tools to an MCP server. Credentials and addresses come from the
// [Options] and the document, never from arguments. Numbers keep their digits in
// schemas, arguments and results.
//
// It knows nothing of graphs or catalogs.
package openapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// Options say which API, and how its operator wants it to be called. All but Source may
// be left out.
type Options struct {
	Source string // a file, a URL or the text of the document
	Dir    string // what the path of a file is relative to

	URL       string                // of the API, in place of the document's servers
	Variables map[string]string     // of the document's server
	Headers   map[string]string     // of every request; also of documents, if they have the origin of URL
	Auth      map[string]Credential // by the name of the document's security scheme

	// Include and Exclude choose operations: "tag:NAME", "GET", "/path/**",
	// "GET /path/*", or a pattern of operationIds such as "get*". Exclude has precedence.
	Include, Exclude []string
	Deprecated       bool     // also deprecated operations and parameters
	Prefix           string   // of the names of the tools
	With             []string // "status" and "headers": what results have in addition to the body

	Transport http.RoundTripper `json:"-"` // makes the requests; nil is one without a proxy
	Timeout   time.Duration     // of one request with its answer; 0 is 30 s
	MaxBytes  int64             // of an answer, decompressed; 0 is 10 MiB. Documents may have 20 MiB

	// Note is called with what was left out or renamed, for the operator. Reach is called
	// with the servers that a document names which was not fetched itself. Both may be nil.
	Note  func(string)     `json:"-"`
	Reach func(url string) `json:"-"`
}

// A Tool is one operation of an API.
type Tool struct {
	*mcp.Tool           // its name, schemas, description and annotations
	Method, Path string // such as "GET" and "/pets/{petId}"

	operation *operation
	client    *client
}

// Tools reads the documents and returns a tool for each operation, in their order. A name
// that is taken twice gets "_2". The error names the source and the place in it. Nothing
// but the documents is requested.
func Tools(ctx context.Context, options ...Options) ([]Tool, error) {
	var names apis.Names
	var all []Tool
	for _, o := range options {
		api, err := load(ctx, &o)
		if err != nil {
			return nil, err
		}
		tools, err := api.tools(&names)
		if err != nil {
			return nil, err
		}
		all = append(all, tools...)
	}
	return all, nil
}

// Register adds the [Tools] of APIs to a server, in the form that clients accept.
func Register(ctx context.Context, server *mcp.Server, options ...Options) error {
	tools, err := Tools(ctx, options...)
	if err != nil || len(tools) == 0 {
		return err
	}
	list := make([]apis.Served, len(tools))
	for i := range tools {
		list[i] = apis.Served{Tool: tools[i].Tool, Handler: tools[i].Handle}
	}
	return apis.Publish(server, list, options[0].Note)
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
		return apis.Failure("%s", t.operation.hide(t.client.hide(err.Error())))
	}
	return result
}
