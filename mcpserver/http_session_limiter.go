package mcpserver

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A sessionLimiter lets requests open sessions while there are not too many. A principal that
// has a token may have half of them, so that it does not keep all others out. Where there
// are as many as there may be, an idle one ends for one that opens.
type sessionLimiter struct {
	server   *mcp.Server
	sessions *Sessions // those that have runs; it may be nil
	most     int
	now      func() time.Time

	mu      sync.Mutex
	opening map[string]int         // requests that may open one, by principal; "" is the local user
	uses    map[string]*sessionUse // by the ids of sessions
}

func newSessionLimiter(server *mcp.Server, most int, o *HTTPOptions) *sessionLimiter {
	d := &sessionLimiter{server: server, sessions: o.Sessions, most: most, now: o.now, opening: map[string]int{}, uses: map[string]*sessionUse{}}
	if d.now == nil {
		d.now = time.Now
	}
	return d
}

// enter returns why a request of a principal may not open a session. If it is "", leave
// is to be called when the request is answered.
func (d *sessionLimiter) enter(principal string) (refusal string) {
	evictable, refusal := d.admit(principal)
	if evictable != nil {
		_ = evictable.Close()
	}
	return refusal
}

// admit is enter, which returns the session to be closed.
func (d *sessionLimiter) admit(principal string) (evictable *mcp.ServerSession, refusal string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	open, has := d.look()
	half := (d.most + 1) / 2
	switch {
	case principal != "" && has[principal] >= half:
		if evictable = d.evictable(open, has, func(v *sessionUse) bool { return v.owner == principal }); evictable == nil {
			return nil, fmt.Sprintf("too many sessions: this principal has %d, the most that one may have; end some, or try again later", half)
		}
	case total(has) >= d.most:
		if evictable = d.evictable(open, has, func(*sessionUse) bool { return true }); evictable == nil {
			return nil, "there are too many sessions: end some, or try again later"
		}
	}
	if evictable != nil {
		d.uses[evictable.ID()].closed = true
	}
	d.opening[principal]++
	return evictable, ""
}

// look returns the sessions that are open, and how many each principal has, with those
// that its requests may open. It forgets those that have ended.
func (d *sessionLimiter) look() (open []*mcp.ServerSession, has map[string]int) {
	has = maps.Clone(d.opening)
	uses := map[string]*sessionUse{}
	for id, v := range d.uses {
		if v.inProgress > 0 {
			uses[id] = v
		}
	}
	for s := range d.server.Sessions() {
		if s.ID() == "" {
			continue
		}
		v := d.uses[s.ID()]
		if v == nil { // its opening is not answered yet
			v = &sessionUse{last: d.now()}
		}
		v.opened = true
		uses[s.ID()] = v
		if !v.closed {
			open = append(open, s)
			has[v.owner]++
		}
	}
	d.uses = uses
	return open, has
}

func total(of map[string]int) (n int) {
	for _, k := range of {
		n += k
	}
	return n
}

// evictable returns the session that is missed least of those that may be ended, nil if there
// is none.
func (d *sessionLimiter) evictable(open []*mcp.ServerSession, has map[string]int, may func(*sessionUse) bool) (least *mcp.ServerSession) {
	now := d.now()
	for _, s := range open {
		v := d.uses[s.ID()]
		if !may(v) || !v.idle(now) || d.sessions.keeps(s.ID()) {
			continue
		}
		if least == nil || v.before(d.uses[least.ID()], has) {
			least = s
		}
	}
	return least
}

// leave notes that a request is answered, and the session that it has opened; "" is none.
func (d *sessionLimiter) leave(principal, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opening[principal]--; d.opening[principal] == 0 {
		delete(d.opening, principal)
	}
	if session == "" {
		return
	}
	v := d.countedUse(session)
	v.owner, v.opened, v.last = principal, true, d.now()
}

// countedUse returns what is known of a session.
func (d *sessionLimiter) countedUse(session string) *sessionUse {
	v := d.uses[session]
	if v == nil {
		v = &sessionUse{}
		d.uses[session] = v
	}
	return v
}

// use notes that a request of a session begins; done is to be called when it has ended. It
// is false for a session that was ended.
func (d *sessionLimiter) use(session string) (done func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.countedUse(session)
	if v.closed {
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
			delete(d.uses, session)
		}
	}, true
}

// How long nothing must have been asked in a session that ends for another one.
const (
	leftAfter = 5 * time.Second // where nothing was ever asked but to open it
	idleAfter = time.Minute
)

// A sessionUse is what is known of the use of a session over HTTP.
type sessionUse struct {
	owner      string    // principal; "" is the local user
	opened     bool      // it is a session, and not only an id that somebody has sent
	requests   int       // since it was opened; the first says that it is
	inProgress int       // of those; a stream is one
	last       time.Time // that one ended
	closed     bool      // it ends for another one
}

// unused reports whether nothing was ever asked in the session.
func (v *sessionUse) unused() bool { return v.requests <= 1 }

// idle reports whether the session may end at now for another one.
func (v *sessionUse) idle(now time.Time) bool {
	after := idleAfter
	if v.unused() {
		after = leftAfter
	}
	return v.inProgress == 0 && now.Sub(v.last) >= after
}

// before reports whether the session is missed less than another: it was never used, its
// principal has more, or it was not used for longer.
func (v *sessionUse) before(other *sessionUse, has map[string]int) bool {
	if v.unused() != other.unused() {
		return v.unused()
	}
	if a, b := has[v.owner], has[other.owner]; a != b {
		return a > b
	}
	return v.last.Before(other.last)
}
