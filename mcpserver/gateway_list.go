package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// rawList is a page of a list that has definitions as the downstream servers sent them.
type rawList struct {
	mcp.Result
	modern bool // the client's protocol requires a resultType
	member string
	items  [][]byte
}

// MarshalJSON puts the definitions in the place of the SDK's. The SDK does not set the
// resultType of a type that is not its own.
func (r *rawList) MarshalJSON() ([]byte, error) {
	envelope, err := plainjson.Marshal(r.Result)
	if err != nil {
		return nil, err
	}
	members, err := messages.ReadObject(envelope)
	if err != nil {
		return nil, err
	}
	for i := range members {
		if members[i].Name == r.member {
			members[i].Value = append(append(json.RawMessage{'['}, bytes.Join(r.items, []byte{','})...), ']')
		}
	}
	if r.modern {
		members = append(members, messages.Member{Name: "resultType", Value: json.RawMessage(`"complete"`)})
	}
	return messages.Object(members), nil
}

// list puts the definitions of downstream servers into a page of a list.
func (g *gateway) list(ctx context.Context, req mcp.Request, res mcp.Result) (mcp.Result, error) {
	t := g.table.Load()
	switch r := res.(type) {
	case *mcp.ListToolsResult:
		return g.listTools(ctx, req, r)
	case *mcp.ListPromptsResult:
		return rendered(req, r, "prompts", r.Prompts, t.prompts, func(p *mcp.Prompt) string { return p.Name })
	case *mcp.ListResourcesResult:
		return rendered(req, r, "resources", r.Resources, t.resources, func(p *mcp.Resource) string { return p.URI })
	case *mcp.ListResourceTemplatesResult:
		return rendered(req, r, "resourceTemplates", r.ResourceTemplates, t.templates, func(p *mcp.ResourceTemplate) string { return p.URITemplate })
	}
	return res, nil
}

// rendered is a page with the definitions of those items that are routed.
func rendered[T any](req mcp.Request, res mcp.Result, member string, items []T, by map[string]*route, id func(T) string) (mcp.Result, error) {
	list := make([][]byte, 0, len(items))
	for _, item := range items {
		if r := by[id(item)]; r != nil {
			list = append(list, r.listed)
			continue
		}
		b, err := plainjson.Marshal(item)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return &rawList{res, isModern(req), member, list}, nil
}

func (g *gateway) listTools(ctx context.Context, req mcp.Request, r *mcp.ListToolsResult) (mcp.Result, error) {
	t := g.table.Load()
	list := make([]policy.ListedTool, 0, len(r.Tools))
	for _, tool := range r.Tools {
		if to := t.tools[tool.Name]; to != nil {
			list = append(list, policy.ListedTool{Server: to.server, Tool: to.name, Definition: to.listed})
			continue
		}
		b, err := plainjson.Marshal(tool)
		if err != nil {
			return nil, err
		}
		list = append(list, policy.ListedTool{Definition: b})
	}
	filter := g.pb.Filter()
	if filter != nil {
		id, _ := request.ClientID(ctx)
		var err error
		if list, err = filter(ctx, id, list); err != nil {
			return nil, listError(err)
		}
	}
	out := &rawList{r, isModern(req), "tools", make([][]byte, 0, len(list))}
	for _, tool := range list {
		if filter != nil {
			var err error
			if tool.Definition, _, err = listing.Tool(tool.Definition, "", listing.MaxOutput(nil)); err != nil {
				g.log.Warn("a tool is left out of tools/list", "server", tool.Server, "tool", tool.Tool, "reason", err)
				continue
			}
		}
		out.items = append(out.items, tool.Definition)
	}
	return out, nil
}

// refusedList is the code of the error of tools/list that a workflow has stopped.
const refusedList = -32000

// listError is the answer to tools/list that has failed.
func listError(err error) error {
	refused, ok := errors.AsType[*policy.ListRefused](err)
	if !ok {
		return err
	}
	data, _ := json.Marshal(map[string]string{"code": refused.Code, "nodeId": refused.Node}) //nolint:errchkjson // of texts
	return &jsonrpc.Error{Code: refusedList, Message: refused.Error(), Data: data}
}

// clientName is what the client of a request calls itself, or "".
func clientName(req mcp.Request) string {
	if p := opened(req); p != nil && p.ClientInfo != nil {
		return p.ClientInfo.Name
	}
	return ""
}
