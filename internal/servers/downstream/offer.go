package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// An Offer is what a server lists, in its order. The lists must not be changed.
type Offer struct {
	Server    string
	Tools     []*tooldef.Tool
	Resources []Listed // the ID is the URI
	Templates []Listed // of resources; the ID is the URI template
	Prompts   []Listed // the ID is the name
}

// Listed is the definition of a resource, template or prompt.
type Listed struct {
	ID   string
	Name string
	Raw  json.RawMessage // as the server sent it, without secrets
}

// Offers returns what the servers list, in the order in which they were given to
// [New] or [Hub.Apply]. Resources, templates and prompts are listed only with [Options.Gateway], and
// of servers that have been ready.
func (h *Hub) Offers() []Offer {
	h.mu.Lock()
	order := h.order
	h.mu.Unlock()
	offers := make([]Offer, 0, len(order))
	for _, name := range order {
		s := h.named(name)
		if s == nil {
			continue // removed meanwhile
		}
		s.mu.Lock()
		o := s.offer
		o.Server, o.Tools = s.Name, s.tools
		s.mu.Unlock()
		offers = append(offers, o)
	}
	return offers
}

// AwaitOffers waits until the servers that are starting have listed their tools, or with
// all also what else they offer; no longer than [Options.Wait], and not for servers whose
// list is known.
func (h *Hub) AwaitOffers(ctx context.Context, all bool) {
	var waiting sync.WaitGroup
	for _, name := range h.names() {
		s := h.named(name)
		if s == nil {
			continue
		}
		s.mu.Lock()
		unknown := s.fault == nil && (!s.listed || all && !s.offered)
		s.mu.Unlock()
		if unknown {
			waiting.Go(func() { _, _ = s.session(ctx) })
		}
	}
	waiting.Wait()
}

// setOrder keeps the order in which servers were given.
func (h *Hub) setOrder(servers []Server) {
	order := make([]string, len(servers))
	for i := range servers {
		order[i] = servers[i].Name
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.order = order
}

// listOffer lists what passes through a gateway besides tools. What a server does not
// have, or cannot list, is missing.
func (s *session) listOffer(ctx context.Context) Offer {
	var o Offer
	caps := s.capabilities()
	if caps.Resources != nil {
		o.Resources = s.listed(ctx, "resources/list", "resources", "uri")
		o.Templates = s.listed(ctx, "resources/templates/list", "resourceTemplates", "uriTemplate")
	}
	if caps.Prompts != nil {
		o.Prompts = s.listed(ctx, "prompts/list", "prompts", "name")
	}
	return o
}

// capabilities are those of the server, never nil.
func (s *session) capabilities() *mcp.ServerCapabilities {
	if r := s.client.InitializeResult(); r != nil && r.Capabilities != nil {
		return r.Capabilities
	}
	return &mcp.ServerCapabilities{}
}

// listed asks for all pages of a list. The members of its items are read by name.
func (s *session) listed(ctx context.Context, method, member, id string) []Listed {
	all, seen, cursors := []Listed{}, map[string]bool{}, map[string]bool{}
	warn := func(err error) []Listed {
		if s.alive() {
			s.hub.options.Logger.Warn("a list of a server is not complete", "server", s.Name, "method", method, "error", s.redact(err.Error()))
		}
		return all
	}
	size := 0
	for cursor, pages := "", 0; pages < maxPages; pages++ {
		params := json.RawMessage("{}")
		if cursor != "" {
			params, _ = json.Marshal(map[string]string{"cursor": cursor})
		}
		raw, err := s.send(ctx, Request{Method: method, Params: params})
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code == jsonrpc.CodeMethodNotFound {
			return all
		}
		if err != nil {
			return warn(err)
		}
		var page map[string]json.RawMessage
		var items []json.RawMessage
		if json.Unmarshal(raw, &page) != nil || page[member] != nil && json.Unmarshal(page[member], &items) != nil {
			return warn(fmt.Errorf("the answer has no list of %s", member))
		}
		for _, item := range items {
			if size += len(item); size > s.hub.options.maxListBytes {
				return warn(fmt.Errorf("it has more than %s", diag.Bytes(int64(s.hub.options.maxListBytes))))
			}
			l, ok := readListed(s.clean(item), id)
			if !ok || seen[l.ID] || len(all) == maxTools {
				continue
			}
			seen[l.ID] = true
			all = append(all, l)
		}
		cursor = ""
		_ = json.Unmarshal(page["nextCursor"], &cursor) // what cannot be read ends the list
		if cursor == "" || cursors[cursor] {
			break
		}
		cursors[cursor] = true
	}
	return all
}

// readListed reads one definition.
func readListed(raw json.RawMessage, id string) (Listed, bool) {
	var fields map[string]json.RawMessage
	l := Listed{Raw: raw}
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields[id], &l.ID) != nil || l.ID == "" {
		return l, false
	}
	_ = json.Unmarshal(fields["name"], &l.Name) // one without a name is listed without
	return l, true
}

// refreshOffer lists again what passes through a gateway besides tools, and tells of it.
func (s *supervisor) refreshOffer(ctx context.Context, live *session) {
	if !s.hub.options.Gateway {
		return
	}
	o := live.listOffer(ctx)
	s.mu.Lock()
	s.offer, s.offered = o, true
	s.mu.Unlock()
	if f := s.hub.options.OnOffer; f != nil {
		f()
	}
}
