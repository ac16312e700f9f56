package mcpserver

import (
	"context"
	"sync"
	"time"
)

// recheck is how often it is looked whether the tokens of requests in progress are still
// valid: streams last for hours.
const recheck = 5 * time.Second

// streams are the requests in progress that came with a token. A request whose token is
// revoked or expires is cancelled.
type streams struct {
	mu    sync.Mutex
	next  int
	open  map[int]stream
	sweep *time.Timer // nil while nothing is open
}

type stream struct {
	token  string
	cancel context.CancelFunc
}

// add notes a request; what it returns is to be called when the request ends.
func (s *streams) add(a *Auth, token string, cancel context.CancelFunc) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[int]stream{}
	}
	s.next++
	id := s.next
	s.open[id] = stream{token, cancel}
	if s.sweep == nil {
		s.sweep = time.AfterFunc(recheck, func() { s.recheck(a) })
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, id)
	}
}

// recheck cancels the requests whose token is no longer valid.
func (s *streams) recheck(a *Auth) {
	s.mu.Lock()
	open := make([]stream, 0, len(s.open))
	for _, one := range s.open {
		open = append(open, one)
	}
	s.mu.Unlock()
	for _, one := range open {
		if _, err := a.Verify(context.Background(), one.token); err != nil {
			one.cancel()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 {
		s.sweep = nil
		return
	}
	s.sweep.Reset(recheck)
}
