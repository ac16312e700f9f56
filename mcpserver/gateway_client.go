package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// A gatewayClient is a client during one request.
type gatewayClient struct {
	ctx     context.Context //nolint:containedctx // of the request, on whose stream the client is asked
	session *mcp.ServerSession
}

// Session implements [servers.GatewayClient].
func (c *gatewayClient) Session() any { return c.session }

// Answer implements [servers.GatewayClient]. Only clients of older protocols are asked like
// this.
func (c *gatewayClient) Answer(ctx context.Context, method string, params mcp.Params) (mcp.Result, error) {
	own, cancel := context.WithCancel(c.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return askClient(own, c.session, method, params)
}

// askClient asks a client of an older protocol for what a server wants.
func askClient(ctx context.Context, s *mcp.ServerSession, method string, params any) (mcp.Result, error) {
	init := s.InitializeParams()
	if init == nil || init.ProtocolVersion >= multiRoundTrip {
		return nil, cannot(method)
	}
	caps := init.Capabilities
	if caps == nil {
		caps = &mcp.ClientCapabilities{}
	}
	switch p := params.(type) {
	case *mcp.ElicitParams:
		if caps.Elicitation != nil && (p.Mode == "url" || showsForms(caps)) {
			return pass(s.Elicit(ctx, p))
		}
	case *mcp.CreateMessageParams:
		if caps.Sampling != nil {
			return pass(s.CreateMessage(ctx, p))
		}
	case *mcp.CreateMessageWithToolsParams:
		if caps.Sampling != nil {
			return pass(s.CreateMessageWithTools(ctx, p))
		}
	case *mcp.ListRootsParams:
		if caps.RootsV2 != nil {
			return pass(s.ListRoots(ctx, p))
		}
	}
	return nil, cannot(method)
}

// pass returns what a client answered: its error as it was.
func pass[R mcp.Result](res R, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	return res, nil
}

func cannot(method string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the client does not answer " + method}
}

// answerAll asks a client of an older protocol for all that a server of the newer one
// wants before it makes a call, and returns what the next attempt has.
func answerAll(ctx context.Context, s *mcp.ServerSession, raw json.RawMessage) (responses json.RawMessage, state string, err error) {
	var asks struct {
		Requests mcp.InputRequestMap `json:"inputRequests"`
		State    string              `json:"requestState"`
	}
	if err := json.Unmarshal(raw, &asks); err != nil {
		return nil, "", fmt.Errorf("what the server asks for cannot be read: %w", err)
	}
	answers := map[string]mcp.Result{}
	for key, ask := range asks.Requests {
		if answers[key], err = askClient(ctx, s, "what the server asks for", ask); err != nil {
			return nil, "", err
		}
	}
	responses, err = json.Marshal(answers)
	return responses, asks.State, err
}

// legacySessions are the sessions of older protocols.
func (g *gateway) legacySessions() (list []*mcp.ServerSession) {
	for s := range g.server.Sessions() {
		if p := s.InitializeParams(); p != nil && p.ProtocolVersion < multiRoundTrip {
			list = append(list, s)
		}
	}
	return list
}

// Roots implements [servers.GatewayHost]: the only client answers. With several there are no
// roots that are those of all.
func (g *gateway) Roots(ctx context.Context) (mcp.Result, error) {
	list := g.legacySessions()
	if len(list) != 1 {
		return nil, cannot("roots/list")
	}
	return askClient(ctx, list[0], "roots/list", &mcp.ListRootsParams{})
}

// Logged implements [servers.GatewayHost]: the client of the calls in progress gets what is
// logged, or the only client.
func (g *gateway) Logged(server string, c servers.GatewayClient, p *mcp.LoggingMessageParams) {
	ctx, to := context.Background(), (*mcp.ServerSession)(nil)
	if own, ok := c.(*gatewayClient); ok && !isModern(&mcp.CallToolRequest{Session: own.session}) {
		ctx, to = own.ctx, own.session
	} else if list := g.legacySessions(); len(list) == 1 {
		to = list[0]
	}
	if to == nil {
		return
	}
	out := *p
	out.Logger = cmp.Or(out.Logger, server)
	if data, err := plainjson.Marshal(p.Data); err == nil {
		if g.mask != nil {
			data = g.mask(data)
		}
		out.Data = json.RawMessage(data)
	}
	_ = to.Log(ctx, &out)
}

// levels are those of logging, the most verbose first.
var levels = []mcp.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// lowest is the level that most clients have asked for.
type lowest struct {
	mu    sync.Mutex
	level int
	set   bool
}

// logAt has servers log at the most verbose level that any client has asked for.
func (g *gateway) logAt(level mcp.LoggingLevel) {
	for i, l := range levels {
		if l != level {
			continue
		}
		g.lowest.mu.Lock()
		lower := !g.lowest.set || i < g.lowest.level
		if lower {
			g.lowest.level, g.lowest.set = i, true
		}
		g.lowest.mu.Unlock()
		if lower {
			g.pb.LogAt(level)
		}
	}
}
