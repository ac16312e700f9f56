package admission

import "slices"

// A waiter is one who waits.
type waiter struct {
	ready   chan struct{} // closed when it is granted what it waits for
	of      string        // the principal
	granted bool
	gone    bool   // it has stopped waiting
	bytes   int64  // of memory that it waits for
	share   *Share // of a pool, that waits to grow; or nil
}

func (w *waiter) grant() {
	w.granted = true
	close(w.ready)
}

// A line is those who wait, in the order in which they are served. The zero line is
// empty.
type line struct {
	principals []string // that have waiters, the next first
	of         map[string]*requests
}

// requests are those of one principal.
type requests struct {
	next []uint64 // that have waiters, the next first
	of   map[uint64][]*waiter
}

func (l *line) push(principal string, request uint64, w *waiter) {
	if l.of == nil {
		l.of = map[string]*requests{}
	}
	r := l.of[principal]
	if r == nil {
		r = &requests{of: map[uint64][]*waiter{}}
		l.of[principal] = r
		l.principals = append(l.principals, principal)
	}
	if len(r.of[request]) == 0 {
		r.next = append(r.next, request)
	}
	r.of[request] = append(r.of[request], w)
	w.of = principal
}

func (l *line) empty() bool { return l.peek() == nil }

// prefer makes the first waiting principal for which ok holds the next.
func (l *line) prefer(ok func(principal string) bool) {
	for i, p := range l.principals {
		if ok(p) && l.of[p].wait() {
			l.principals = slices.Insert(slices.Delete(l.principals, i, i+1), 0, p)
			return
		}
	}
}

// wait reports whether somebody still waits.
func (r *requests) wait() bool {
	for _, waiters := range r.of {
		if slices.ContainsFunc(waiters, func(w *waiter) bool { return !w.gone }) {
			return true
		}
	}
	return false
}

// peek returns the next request, nil if none waits.
func (l *line) peek() *waiter {
	for len(l.principals) > 0 {
		r := l.of[l.principals[0]]
		if w := r.of[r.next[0]][0]; !w.gone {
			return w
		}
		l.drop()
	}
	return nil
}

// pop removes and returns who is next. Its request is then the last of its
// principal, and its principal the last of all.
func (l *line) pop() *waiter {
	w := l.peek()
	if w == nil {
		return nil
	}
	principal := l.principals[0]
	r := l.of[principal]
	request := r.next[0]
	l.drop()
	if l.of[principal] == r && len(l.principals) > 0 && l.principals[0] == principal {
		l.principals = append(l.principals[1:], principal)
		if len(r.next) > 0 && r.next[0] == request {
			r.next = append(r.next[1:], request)
		}
	}
	return w
}

// drop removes the next request, and its principal if that has no other.
func (l *line) drop() {
	principal := l.principals[0]
	r := l.of[principal]
	request := r.next[0]
	if r.of[request] = r.of[request][1:]; len(r.of[request]) > 0 {
		return
	}
	delete(r.of, request)
	if r.next = r.next[1:]; len(r.next) > 0 {
		return
	}
	delete(l.of, principal)
	l.principals = l.principals[1:]
}
