package downstream

import (
	"fmt"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Changes are the names of the servers that [Hub.Apply] has changed, sorted.
type Changes struct{ Added, Changed, Removed []string }

// Apply makes servers those of the hub. Added and changed ones are started, and what
// serves as before is left alone. A removed or changed server ends when the calls that it
// has taken are answered; until the successor of a changed one has listed its tools, those
// of the former count. [Options.OnRemoved] is called for each removed one.
func (h *Hub) Apply(servers []Server) (c Changes) {
	h.applying.Lock()
	defer h.applying.Unlock()
	former := *h.servers.Load()
	next := map[string]*supervisor{}
	for _, s := range servers {
		s = s.complete()
		old := former[s.Name]
		if old != nil && old.definition() == s.definition() {
			next[s.Name] = old
			continue
		}
		next[s.Name] = newSupervisor(h, s)
		if old == nil {
			c.Added = append(c.Added, s.Name)
			continue
		}
		next[s.Name].inherit(old)
		c.Changed = append(c.Changed, s.Name)
	}
	h.servers.Store(&next)
	h.setOrder(servers)
	for _, name := range slices.Sorted(maps.Keys(former)) {
		if next[name] == nil {
			c.Removed = append(c.Removed, name)
		}
		if next[name] != former[name] {
			former[name].remove()
		}
	}
	slices.Sort(c.Added)
	slices.Sort(c.Changed)
	for _, name := range c.Removed {
		if h.options.OnRemoved != nil {
			h.options.OnRemoved(name)
		}
	}
	for _, name := range slices.Concat(c.Added, c.Changed) {
		if cached := next[name].loadCache(); !cached || !next[name].lazy() {
			next[name].startInTurn()
		}
	}
	return c
}

// definition tells a server from another. One in this process is the same if what it is made of
// is.
func (s *Server) definition() string {
	d := *s
	d.InProcess, d.Load, d.Problem = nil, nil, nil
	text := fmt.Sprintf("%t %#v", s.InProcess != nil, d) // with the keys of maps in order
	if s.Problem != nil {
		text += s.Problem.Message
	}
	return text
}

// inherit takes over the tools of a former server of the same name.
func (s *supervisor) inherit(former *supervisor) {
	former.mu.Lock()
	defer former.mu.Unlock()
	s.tools, s.listed = former.tools, former.listed
}

// remove lets the session end when its calls are answered, and begins no other.
func (s *supervisor) remove() {
	s.mu.Lock()
	live := s.live
	if !s.removed {
		s.removed = true
		close(s.gone)
	}
	s.mu.Unlock()
	if live != nil {
		live.retire()
	}
}

func removedFault(server string) *diag.Fault {
	f := diag.Faultf(diag.CodeUnknownServer, "server %q was removed from the configuration", server)
	f.Got = server
	return f
}
