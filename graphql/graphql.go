// Package graphql makes the operations of a GraphQL API tools of an MCP server.
//
// [Tools] reads a schema (SDL, the result of an introspection, or a live endpoint) and
// returns one tool for each field of Query, and of Mutation where [Options] allow it:
// its arguments as JSON Schema, a selection of what it returns, and the schema of that
// result. [Register] adds them to a server. Every document that is sent has been
// validated against the schema; values of arguments are sent as variables. Numbers keep
// all their digits.
//
// Subscriptions, persisted queries and batches are not supported.
package graphql

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// DefaultDepth is how many levels of objects are selected unless [Options] say otherwise.
const DefaultDepth = 3

// Options say which API is meant, and what of it becomes tools.
type Options struct {
	// Source is the schema: SDL as text; a path or a glob of SDL files; a path of an
	// introspection result, as JSON; a URL of SDL or of such a result, whose path has an
	// extension such as .graphql or .json; or the URL of a GraphQL endpoint, which is introspected.
	Source string
	// Endpoint is the URL that operations are sent to; without one it is the Source, if
	// that is a live endpoint.
	Endpoint string
	// Headers are sent with every request to the endpoint, and to the URL of SDL if it has
	// the origin of the endpoint.
	Headers map[string]string

	PlainNames bool // the names of tools are those of their fields, without query_ and mutation_

	Prefix string // Prefix begins the name of every tool: shop_query_user for "shop"
	// Mutations are the fields of Mutation that become tools, by name or glob: none by
	// default, "*" for all.
	Mutations []string
	Include   []string // names or globs of the fields that become tools; none means all
	Exclude   []string // names or globs of fields that do not; it wins over Include

	Depth  int            // levels of objects in a selection; 0 is [DefaultDepth]
	Depths map[string]int // of single fields of Query and Mutation, by name
	// Scalars are the JSON Schemas of custom scalars by name, in addition to those that are
	// known, such as DateTime, and in place of them.
	Scalars    map[string]json.RawMessage
	Deprecated bool // include deprecated fields, arguments and enum values

	Transport http.RoundTripper `json:"-"` // of every request; nil is one without a proxy
	Timeout   time.Duration     // of one request with its answer; 0 is 30 s
	MaxBytes  int64             // of an answer, decompressed; 0 is 10 MiB. Schemas may have 20 MiB
	// Note is called with what an operator may want to know: what was left out or renamed. It may be nil.
	Note func(string) `json:"-"`
}

// A Tool is one operation of an API.
type Tool struct {
	*mcp.Tool                 // its name, schemas, description and annotations
	Document  string          // what is sent when a call does not say what to select
	Handler   mcp.ToolHandler // calls the API
}

// Tools returns the tools of APIs, in order of the options, fields of Query first, each in the
// order of its schema. A name that is taken twice gets "_2". The error says which
// source is meant and, for SDL, the place in it.
func Tools(ctx context.Context, options ...Options) ([]Tool, error) {
	var names apis.Names
	var all []Tool
	for _, o := range options {
		api, err := load(ctx, o)
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
	list := lists.Each(tools, func(t Tool) apis.Served { return apis.Served{Tool: t.Tool, Handler: t.Handler} })
	return apis.Publish(server, list, options[0].Note)
}
