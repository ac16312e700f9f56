package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
)

// What a gateway passes on, in the words of its two ends.
type (
	// Listed is the definition of a resource, template or prompt.
	Listed = downstream.Listed
	// A DownstreamRequest is any request but the call of a tool.
	DownstreamRequest = downstream.Request
	// A GatewayClient makes calls and can be asked for something meanwhile.
	GatewayClient = downstream.Client
	// Progress is what a server reports about a call.
	Progress = transport.Progress
	// A GatewayHost is the end of a gateway that clients see.
	GatewayHost = downstream.Host
	// Expose says what passes through.
	Expose = config.Expose
)

// An Offer is what a downstream server lists, and the operator exposes.
type Offer struct {
	downstream.Offer
	Prefix string // of the names that clients see, but for URIs
	Tools  []OfferedTool
}

// An OfferedTool is a tool under the name that clients see.
type OfferedTool struct {
	policy.ListedTool
	Name    string
	Notes   []string // what clients do not accept of its definition
	Problem error    // why it cannot be listed, or nil
}

// Offers returns what the downstream servers offer and the operator exposes, in the order
// of the configuration. Allow chooses by server/name; nothing that is denied is there.
func (gw *Gateway) Offers(expose Expose) []Offer {
	if gw.Hub == nil {
		return nil
	}
	var offers []Offer
	for _, o := range gw.Hub.Offers() {
		out := Offer{Offer: downstream.Offer{Server: o.Server}, Prefix: ServerPrefix(expose.Prefix, o.Server)}
		most := MaxOutput(o.Tools)
		for _, t := range o.Tools {
			if expose.Allows(o.Server+"/"+t.Name) && gw.policy.DeniedBy(o.Server, t.Name) == "" {
				listed := OfferedTool{Name: listing.Name(out.Prefix + t.Name), ListedTool: policy.ListedTool{Server: o.Server, Tool: t.Name}}
				listed.Definition, listed.Notes, listed.Problem = GatewayDefinition(t, listed.Name, most)
				if listed.Name != out.Prefix+t.Name {
					listed.Notes = append(listed.Notes, fmt.Sprintf("the tool %s is listed as %s: model APIs refuse the name", out.Prefix+t.Name, listed.Name))
				}
				out.Tools = append(out.Tools, listed)
			}
		}
		out.Resources, out.Templates, out.Prompts = exposed(expose.Names, o.Server, o.Resources), exposed(expose.Names, o.Server, o.Templates), exposed(expose.Names, o.Server, o.Prompts)
		offers = append(offers, out)
	}
	return offers
}

// ServerPrefix is what the names of a server begin with.
func ServerPrefix(prefix, server string) string {
	legal := strings.Map(func(r rune) rune {
		if listing.LegalInName(r) {
			return r
		}
		return '_'
	}, server)
	return strings.ReplaceAll(prefix, "{server}", legal)
}

// exposed are those of a list that are allowed by their name or their ID.
func exposed(expose config.Names, server string, list []Listed) []Listed {
	var out []Listed
	for _, l := range list {
		by := config.Names{Allow: expose.Allow}
		none := config.Names{Deny: expose.Deny}
		if (by.Allows(server+"/"+l.ID) || by.Allows(server+"/"+l.Name)) && none.Allows(server+"/"+l.ID) && none.Allows(server+"/"+l.Name) {
			out = append(out, l)
		}
	}
	return out
}

// AwaitOffers waits for servers that are starting and whose lists are unknown, as
// [downstream.Hub.AwaitOffers].
func (gw *Gateway) AwaitOffers(ctx context.Context, all bool) {
	if gw.Hub != nil {
		gw.Hub.AwaitOffers(ctx, all)
	}
}

// AskDownstream sends a request to a downstream server and returns the result as the
// server sent it. Errors are those of [downstream.Hub.Request].
func (gw *Gateway) AskDownstream(ctx context.Context, server string, c GatewayClient, r DownstreamRequest, onProgress func(Progress)) (json.RawMessage, error) {
	if gw.Hub == nil {
		return nil, downstream.UnknownServer(server, nil)
	}
	if onProgress != nil {
		ctx = transport.WithProgress(ctx, onProgress)
	}
	return gw.Hub.Request(downstream.WithClient(ctx, c), server, r)
}

// Host makes h the end of the gateway that clients see.
func (gw *Gateway) Host(h GatewayHost) {
	if gw.Hub != nil {
		gw.Hub.SetHost(h)
	}
}

// Subscribe asks a server to tell of the changes of a resource; or no more.
func (gw *Gateway) Subscribe(ctx context.Context, server, uri string, on bool) error {
	if gw.Hub == nil {
		return downstream.UnknownServer(server, nil)
	}
	return gw.Hub.Subscribe(ctx, server, uri, on)
}

// LogAt asks the servers of a gateway to log at a level.
func (gw *Gateway) LogAt(level mcp.LoggingLevel) {
	if gw.Hub != nil {
		gw.Hub.LogAt(level)
	}
}

// RootsChanged tells the servers of a gateway that the roots of a client have changed.
func (gw *Gateway) RootsChanged() {
	if gw.Hub != nil {
		gw.Hub.RootsChanged()
	}
}
