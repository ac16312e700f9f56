package mcpserver

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// The params of requests that pass through, under the server's own names.
type (
	promptParams struct {
		Name      string               `json:"name"`
		Arguments map[string]string    `json:"arguments,omitempty"`
		Responses mcp.InputResponseMap `json:"inputResponses,omitempty"`
		State     string               `json:"requestState,omitempty"`
	}
	resourceParams struct {
		URI       string               `json:"uri"`
		Responses mcp.InputResponseMap `json:"inputResponses,omitempty"`
		State     string               `json:"requestState,omitempty"`
	}
	completeParams struct {
		Argument mcp.CompleteParamsArgument `json:"argument"`
		Context  *mcp.CompleteContext       `json:"context,omitempty"`
		Ref      *mcp.CompleteReference     `json:"ref"`
	}
)

// ask passes a request on to a server.
func (g *gateway) ask(ctx context.Context, req mcp.Request, r *route, method string, meta mcp.Meta, params any, more string) (mcp.Result, error) {
	b, err := plainjson.Marshal(params)
	if err != nil {
		return nil, err
	}
	s, _ := req.GetSession().(*mcp.ServerSession)
	if meta = passedMeta(meta); isModern(req) {
		if can := usable(s); can != nil {
			if meta == nil {
				meta = mcp.Meta{}
			}
			meta[mcp.MetaKeyClientCapabilities] = can
		}
	}
	raw, err := g.pb.AskDownstream(ctx, r.server, &gatewayClient{ctx: ctx, session: s}, servers.DownstreamRequest{Method: method, Params: b, Meta: meta}, newProgress(ctx, s, req.GetParams().GetMeta()["progressToken"]))
	if err != nil {
		return nil, err
	}
	return passOn(req, raw, more), nil
}

// resource finds whose a URI is: who lists it, else who has the template that begins
// like it, else who lists anything of its scheme. A server may link to what it does not
// list.
func (t *routes) resource(uri string) *route {
	if r := t.resources[uri]; r != nil {
		return r
	}
	var best *route
	longest := -1
	for _, r := range t.order {
		fixed, _, _ := strings.Cut(r.name, "{")
		if strings.HasPrefix(uri, fixed) && len(fixed) > longest {
			best, longest = r, len(fixed)
		}
	}
	if best != nil {
		return best
	}
	scheme, _, ok := strings.Cut(uri, ":")
	if !ok || scheme == ownScheme {
		return nil
	}
	return t.schemes[scheme]
}

// ownScheme is that of the URIs of Patchbay's own resources.
const ownScheme = "patchbay"

// completes finds what an argument is completed for, under its server's own name.
func (t *routes) completes(p *mcp.CompleteParams) (*route, *mcp.CompleteReference) {
	if p.Ref == nil {
		return nil, nil
	}
	if r := t.prompts[p.Ref.Name]; p.Ref.Type == "ref/prompt" && r != nil {
		return r, &mcp.CompleteReference{Type: p.Ref.Type, Name: r.name}
	}
	if r := t.templates[p.Ref.URI]; p.Ref.Type == "ref/resource" && r != nil {
		return r, p.Ref
	}
	return nil, nil
}

// subscribe asks a server to tell of the changes of a resource.
func (g *gateway) subscribe(ctx context.Context, req mcp.Request, uri string, on bool) error {
	r := g.table.Load().resource(uri)
	if r == nil || g.hides(req, r) {
		return mcp.ResourceNotFoundError(uri)
	}
	return g.pb.Subscribe(ctx, r.server, uri, on)
}

// Updated implements [servers.GatewayHost].
func (g *gateway) Updated(_, uri string) {
	go func() {
		_ = g.server.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}()
}

// usable are the capabilities of a client that a server may use in a call, nil for none.
func usable(s *mcp.ServerSession) json.RawMessage {
	p := s.InitializeParams()
	if p == nil || p.Capabilities == nil {
		return nil
	}
	can := map[string]any{}
	if e := p.Capabilities.Elicitation; e != nil {
		can["elicitation"] = e
	}
	if e := p.Capabilities.Sampling; e != nil {
		can["sampling"] = e
	}
	if e := p.Capabilities.RootsV2; e != nil {
		can["roots"] = e
	}
	if len(can) == 0 {
		return nil
	}
	b, err := json.Marshal(can)
	if err != nil {
		return nil
	}
	return b
}
