package mcpserver

import "time"

// How long nothing must have been asked in a session that ends for another one.
const (
	leftAfter = 5 * time.Second // where nothing was ever asked but to open it
	idleAfter = time.Minute
)

// A visit is what is known of the use of a session over HTTP.
type visit struct {
	owner      string    // principal; "" is the local user
	opened     bool      // it is a session, and not only an id that somebody has sent
	requests   int       // since it was opened; the first says that it is
	inProgress int       // of those; a stream is one
	last       time.Time // that one ended
	over       bool      // it ends for another one
}

// unused reports whether nothing was ever asked in the session.
func (v *visit) unused() bool { return v.requests <= 1 }

// idle reports whether the session may end at now for another one.
func (v *visit) idle(now time.Time) bool {
	after := idleAfter
	if v.unused() {
		after = leftAfter
	}
	return v.inProgress == 0 && now.Sub(v.last) >= after
}

// before reports whether the session is missed less than another: it was never used, its
// principal has more, or it was not used for longer.
func (v *visit) before(other *visit, has map[string]int) bool {
	if v.unused() != other.unused() {
		return v.unused()
	}
	if a, b := has[v.owner], has[other.owner]; a != b {
		return a > b
	}
	return v.last.Before(other.last)
}
