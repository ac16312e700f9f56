package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Request is any request of MCP but the call of a tool.
type Request struct {
	Method string
	Params json.RawMessage // a JSON object without _meta
	Meta   map[string]any
}

// Request sends a request to a server and returns the result as the server sent it. A
// progress token is put into its meta if somebody follows it: see [WithProgress]. The
// error is a [jsonrpc.Error] if the server answered with one, else ctx's own or a
// [diag.Fault]: unknown-server, server-starting, server-failed, call-timeout.
func (h *Hub) Request(ctx context.Context, server string, r Request) (json.RawMessage, error) {
	s, fault := h.server(server)
	if fault != nil {
		return nil, fault
	}
	live, fault := s.session(ctx)
	if fault != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fault
	}
	live.enter()
	defer live.leave()
	limited, cancel := timelimit.With(ctx, s.CallTimeout, errCallTime)
	defer cancel()
	defer live.inProgress(limited, run.Call{})()
	defer context.AfterFunc(live.calls, cancel)()
	r.Meta = maps.Clone(r.Meta)
	if r.Meta == nil {
		r.Meta = map[string]any{}
	}
	defer live.followed.Follow(limited, r.Meta, live.renewal(limited))()
	raw, err := live.send(limited, r)
	if err == nil {
		return raw, nil
	}
	if e, ok := answered(err); ok {
		return nil, e
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(context.Cause(limited), errCallTime) {
		return nil, s.faultf(codeCallTimeout, "server %q did not answer %s within %s", s.Name, r.Method, s.CallTimeout)
	}
	return nil, s.faultf(diag.CodeServerFailed, "server %q failed during %s: %s", s.Name, r.Method, plainError(err))
}

// requestParams are the params of a [Request].
type requestParams struct {
	mcp.ParamsBase
	members json.RawMessage
}

// MarshalJSON adds _meta to the members.
func (p *requestParams) MarshalJSON() ([]byte, error) {
	if len(p.Meta) == 0 {
		return p.members, nil
	}
	meta, err := json.Marshal(p.Meta)
	if err != nil {
		return nil, err
	}
	out := append([]byte(`{"_meta":`), meta...)
	if string(p.members) != "{}" {
		out = append(out, ',')
	}
	return append(out, p.members[1:]...), nil
}

// send sends a request past what the SDK does for its methods: it would answer some of
// them from a cache, and not with the server's bytes.
func (s *session) send(ctx context.Context, r Request) (json.RawMessage, error) {
	p := &requestParams{members: r.Params}
	if len(p.members) == 0 {
		p.members = json.RawMessage("{}")
	}
	p.Meta = mcp.Meta(r.Meta)
	if s.protocol > legacy {
		if p.Meta == nil {
			p.Meta = mcp.Meta{}
		}
		p.Meta[mcp.MetaKeyProtocolVersion] = s.protocol
		p.Meta[mcp.MetaKeyClientInfo] = s.hub.implementation()
		if p.Meta[mcp.MetaKeyClientCapabilities] == nil {
			p.Meta[mcp.MetaKeyClientCapabilities] = struct{}{}
		}
	}
	ctx, taken := transport.WithCapture(ctx)
	_, err := s.sendMethod(ctx, r.Method, &mcp.ClientRequest[*requestParams]{Session: s.client, Params: p})
	if raw, _, _ := taken.Take(); raw != nil {
		return raw, nil
	}
	if err == nil {
		err = diag.Faultf(diag.CodeBadResult, "the server returned no result")
	}
	return nil, err
}
