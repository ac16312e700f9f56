package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

const (
	maxQueued  = 20_000 // events that a stream has not sent yet; one with more ends
	maxBatch   = 500    // events in one message
	listed     = 100    // runs, the latest, that are looked at for changes
	batchEvery = 100 * time.Millisecond
	lookEvery  = time.Second // for what other processes do
	beatEvery  = 15 * time.Second
)

// Why a stream ends although its client is there.
var (
	errTooSlow   = errors.New("the client is too slow")
	errSignedOut = errors.New("the session has ended")
)

// streams count the streams of each principal.
type streams struct {
	mu   sync.Mutex
	open map[string]int
}

// enter reports whether a principal may have one more; if so, leave is to be called.
func (s *streams) enter(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[who] >= maxStreams {
		return false
	}
	s.open[who]++
	return true
}

func (s *streams) leave(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[who]--; s.open[who] == 0 {
		delete(s.open, who)
	}
}

// A queue holds what a stream has not sent yet. It is filled by runs, which must not wait.
type queue struct {
	mu       sync.Mutex
	events   []run.Notice
	full     bool // some were lost: the stream ends, and the page asks again
	runs     bool // the list of runs has changed
	catalog  bool // the list of nodes has changed
	wake     chan struct{}
	watching string // the run whose events are queued; "" queues none
}

func newQueue(watching string) *queue {
	return &queue{wake: make(chan struct{}, 1), watching: watching}
}

// change notes something, and wakes the stream.
func (q *queue) change(note func()) {
	q.mu.Lock()
	note()
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// add queues an event of a run.
func (q *queue) add(n run.Notice) {
	if n.Run != q.watching {
		return
	}
	n.Input, n.Output = nil, nil
	q.change(func() {
		if len(q.events) >= maxQueued {
			q.events, q.full = nil, true
		}
		if !q.full {
			q.events = append(q.events, n)
		}
	})
}

// A change is what a queue held.
type change struct {
	events              []run.Notice
	full, runs, catalog bool
}

// take empties the queue.
func (q *queue) take() change {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := change{q.events, q.full, q.runs, q.catalog}
	q.events, q.runs, q.catalog = nil, false, false
	return c
}

// listen has a queue told of what happens in this process.
func (u *UI) listen(q *queue) (stop func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queues[q] = true
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.queues, q)
	}
}

// tell notes a change in all queues.
func (u *UI) tell(note func(*queue)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for q := range u.queues {
		q.change(func() { note(q) })
	}
}

// A writer sends server-sent events.
type writer struct {
	w    http.ResponseWriter
	mask func(json.RawMessage) json.RawMessage
}

// begin sends the header.
func (s *writer) begin() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	return s.beat()
}

// beat keeps the connection open.
func (s *writer) beat() error { return s.write([]byte(": \n\n")) }

// event sends an event.
func (s *writer) event(name string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("event: " + name + "\ndata: ")
	out.Write(s.mask(b)) // JSON has no ends of lines
	out.WriteString("\n\n")
	return s.write(out.Bytes())
}

// nodes sends the events of a run, in lists of a bounded length.
func (s *writer) nodes(events []run.Notice) error {
	for len(events) > 0 {
		n := min(len(events), maxBatch)
		if err := s.event("node", events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

func (s *writer) write(b []byte) error {
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
}
