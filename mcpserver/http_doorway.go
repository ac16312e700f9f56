package mcpserver

import (
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A doorway lets requests open sessions while there are not too many. A principal that
// has a token may have half of them, so that it does not keep all others out.
type doorway struct {
	server *mcp.Server
	most   int

	mu      sync.Mutex
	opening map[string]int    // requests that may open one, by principal; "" is the local user
	owners  map[string]string // the principals of sessions, by id
}

func newDoorway(server *mcp.Server, most int) *doorway {
	return &doorway{server: server, most: most, opening: map[string]int{}, owners: map[string]string{}}
}

// enter returns why a request of a principal may not open a session. If it is "", leave
// is to be called when the request is answered.
func (d *doorway) enter(principal string) (refusal string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	open, own := 0, d.opening[principal]
	for _, n := range d.opening {
		open += n
	}
	owners := map[string]string{} // without those of sessions that have ended
	for s := range d.server.Sessions() {
		if s.ID() == "" {
			continue
		}
		open++
		if owner, ok := d.owners[s.ID()]; ok {
			owners[s.ID()] = owner
			if owner == principal {
				own++
			}
		}
	}
	d.owners = owners
	switch half := (d.most + 1) / 2; {
	case open >= d.most:
		return "there are too many sessions: end some, or try again later"
	case principal != "" && own >= half:
		return fmt.Sprintf("this principal has %d sessions, half of all that there may be: end some, or try again later", half)
	}
	d.opening[principal]++
	return ""
}

// leave notes that a request is answered, and the session that it has opened; "" is none.
func (d *doorway) leave(principal, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opening[principal]--; d.opening[principal] == 0 {
		delete(d.opening, principal)
	}
	if principal != "" && session != "" {
		d.owners[session] = principal
	}
}
