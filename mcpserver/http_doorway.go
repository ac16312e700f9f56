package mcpserver

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A doorway lets requests open sessions while there are not too many. A principal that
// has a token may have half of them, so that it does not keep all others out. Where there
// are as many as there may be, one that nobody uses ends for one that opens.
type doorway struct {
	server   *mcp.Server
	sessions *Sessions // those that have runs; it may be nil
	most     int
	now      func() time.Time

	mu      sync.Mutex
	opening map[string]int    // requests that may open one, by principal; "" is the local user
	visits  map[string]*visit // by the ids of sessions
}

func newDoorway(server *mcp.Server, most int, o *HTTPOptions) *doorway {
	d := &doorway{server: server, sessions: o.Sessions, most: most, now: o.now, opening: map[string]int{}, visits: map[string]*visit{}}
	if d.now == nil {
		d.now = time.Now
	}
	return d
}

// enter returns why a request of a principal may not open a session. If it is "", leave
// is to be called when the request is answered.
func (d *doorway) enter(principal string) (refusal string) {
	spare, refusal := d.admit(principal)
	if spare != nil {
		_ = spare.Close()
	}
	return refusal
}

// admit is enter, which returns the session to be closed.
func (d *doorway) admit(principal string) (spare *mcp.ServerSession, refusal string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	open, has := d.look()
	half := (d.most + 1) / 2
	switch {
	case principal != "" && has[principal] >= half:
		if spare = d.spare(open, has, func(v *visit) bool { return v.owner == principal }); spare == nil {
			return nil, fmt.Sprintf("this principal has %d sessions, half of all that there may be: end some, or try again later", half)
		}
	case total(has) >= d.most:
		if spare = d.spare(open, has, func(*visit) bool { return true }); spare == nil {
			return nil, "there are too many sessions: end some, or try again later"
		}
	}
	if spare != nil {
		d.visits[spare.ID()].over = true
	}
	d.opening[principal]++
	return spare, ""
}

// look returns the sessions that are open, and how many each principal has, with those
// that its requests may open. It forgets those that have ended.
func (d *doorway) look() (open []*mcp.ServerSession, has map[string]int) {
	has = maps.Clone(d.opening)
	visits := map[string]*visit{}
	for id, v := range d.visits {
		if v.inProgress > 0 {
			visits[id] = v
		}
	}
	for s := range d.server.Sessions() {
		if s.ID() == "" {
			continue
		}
		v := d.visits[s.ID()]
		if v == nil { // its opening is not answered yet
			v = &visit{last: d.now()}
		}
		v.opened = true
		visits[s.ID()] = v
		if !v.over {
			open = append(open, s)
			has[v.owner]++
		}
	}
	d.visits = visits
	return open, has
}

func total(of map[string]int) (n int) {
	for _, k := range of {
		n += k
	}
	return n
}

// spare returns the session that is missed least of those that may be ended, nil if there
// is none.
func (d *doorway) spare(open []*mcp.ServerSession, has map[string]int, may func(*visit) bool) (least *mcp.ServerSession) {
	now := d.now()
	for _, s := range open {
		v := d.visits[s.ID()]
		if !may(v) || !v.idle(now) || d.sessions.keeps(s.ID()) {
			continue
		}
		if least == nil || v.before(d.visits[least.ID()], has) {
			least = s
		}
	}
	return least
}

// leave notes that a request is answered, and the session that it has opened; "" is none.
func (d *doorway) leave(principal, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opening[principal]--; d.opening[principal] == 0 {
		delete(d.opening, principal)
	}
	if session == "" {
		return
	}
	v := d.visit(session)
	v.owner, v.opened, v.last = principal, true, d.now()
}

// visit returns what is known of a session.
func (d *doorway) visit(session string) *visit {
	v := d.visits[session]
	if v == nil {
		v = &visit{}
		d.visits[session] = v
	}
	return v
}

// use notes that a request of a session begins; done is to be called when it has ended. It
// is false for a session that was ended.
func (d *doorway) use(session string) (done func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.visit(session)
	if v.over {
		return nil, false
	}
	v.requests++
	v.inProgress++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		v.inProgress--
		v.last = d.now()
		if !v.opened && v.inProgress == 0 { // nobody has opened it
			delete(d.visits, session)
		}
	}, true
}
