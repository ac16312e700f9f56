package downstream

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// pinFormat begins the identity of a server's pins. It is what [cacheFormat] was when
// there were pins first, and must never change: the next list of every server would be
// accepted as it is.
const pinFormat = "patchbay tools 1"

// Changed returns the fault of a tool whose change waits for a person, nil for any other.
func (h *Hub) Changed(server, tool string) *diag.Fault {
	s := h.named(server)
	if s == nil || s.pins == nil {
		return nil
	}
	s.mu.Lock()
	listed, waits := s.waits != nil, s.waits[tool]
	s.mu.Unlock()
	if !listed { // by this process
		waits = s.pins.Unused(tool)
	}
	if !waits {
		return nil
	}
	return diag.Faultf(diag.CodeToolChanged, "tool %q of server %q has changed since it was pinned, so it is not called", tool, server).
		WithHint(fmt.Sprintf("patchbay mcp info %s %s shows the change; a person accepts it with patchbay mcp approve %s %s", server, tool, server, tool))
}

// Pin returns what is known of a tool from before, nil if nothing is.
func (h *Hub) Pin(server, tool string) *tooldef.Pin {
	if s := h.named(server); s != nil && s.pins != nil {
		return s.pins.Pin(tool)
	}
	return nil
}

// Has reports whether there is a server of a name.
func (h *Hub) Has(server string) bool { return h.named(server) != nil }

// Knows reports whether a tool of a server has had the definition of a hash here, or may be
// used in its place as [Hub.Accepted] says. While no tools of the server are known, any may
// be among them.
func (h *Hub) Knows(server, tool, hash, version string) bool {
	s := h.named(server)
	if s == nil || s.pins == nil {
		return s != nil
	}
	pin := s.pins.Pin(tool)
	switch {
	case pin == nil:
		return !s.pins.Any()
	case pin.Hash == hash, pin.Pending != nil && pin.Pending.Hash == hash, h.Accepted(server, tool, version):
		return true
	}
	return slices.ContainsFunc(pin.Changes, func(c tooldef.Change) bool { return c.From == hash || c.To == hash })
}

// Version returns what a server said of its version when its tools were listed last, ""
// if that is not known.
func (h *Hub) Version(server string) string {
	if s := h.named(server); s != nil && s.pins != nil {
		return s.pins.Version()
	}
	return ""
}

// Accepted reports whether somebody who knows a tool by another definition, from when
// its server had that version, may use it as it is pinned now: the server's trust is
// auto, or it is pin and the server has another version, or a person has approved the
// definition.
func (h *Hub) Accepted(server, tool, version string) bool {
	s := h.named(server)
	if s == nil || s.pins == nil {
		return true
	}
	pin := s.pins.Pin(tool)
	switch now := s.pins.Version(); {
	case pin == nil || s.Trust == tooldef.TrustAuto:
		return true
	case s.Trust != tooldef.TrustStrict && version != "" && now != "" && version != now:
		return true
	}
	return slices.ContainsFunc(pin.Changes, func(c tooldef.Change) bool { return c.How == "approved" && c.To == pin.Hash })
}

// Pending returns a tool of a server by the definition that waits for a person, nil if none
// does or it cannot be read.
func (h *Hub) Pending(server, tool string) *tooldef.Tool {
	pin := h.Pin(server, tool)
	if pin == nil || pin.Pending == nil {
		return nil
	}
	return h.read(server, pin.Pending.Definition)
}

// Known returns a tool by each definition that is known of it: as it is listed, as it is
// pinned, as it waits for a person, and a former one, which may be nil.
func (h *Hub) Known(server, tool string, former json.RawMessage) (known []*tooldef.Tool) {
	for _, t := range h.Tools(server) {
		if t.Name == tool {
			known = append(known, t)
		}
	}
	known = append(known, h.read(server, former))
	if pin := h.Pin(server, tool); pin != nil && pin.Pending != nil {
		known = append(known, h.read(server, pin.Definition), h.read(server, pin.Pending.Definition))
	}
	return slices.DeleteFunc(known, func(t *tooldef.Tool) bool { return t == nil })
}

func (h *Hub) read(server string, definition json.RawMessage) *tooldef.Tool {
	s := h.named(server)
	if s == nil || definition == nil {
		return nil
	}
	t, err := tooldef.Read(server, definition, s.Trusted)
	if err != nil {
		return nil
	}
	return t
}

// Waiting returns the tools of a server whose changes wait for a person, sorted, those that
// are used until then too.
func (h *Hub) Waiting(server string) []string {
	if s := h.named(server); s != nil && s.pins != nil {
		return s.pins.Waiting()
	}
	return nil
}

// Approve accepts the changes of some tools of a server, or of all, and returns the names
// of those that had one. A process that has the server lists its tools again soon.
func (h *Hub) Approve(server string, tools ...string) ([]string, error) {
	s := h.named(server)
	if s == nil || s.pins == nil {
		return []string{}, nil
	}
	return s.pins.Approve(tools, time.Now())
}
