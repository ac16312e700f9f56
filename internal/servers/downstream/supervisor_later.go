package downstream

import (
	"math/rand/v2"
	"time"
)

// startInTurn begins an attempt in the background when fewer than maxStarts others are in
// progress. A call does not wait for that turn: it begins the attempt itself.
func (s *supervisor) startInTurn() {
	s.mu.Lock()
	s.queued = true
	s.mu.Unlock()
	ok := s.hub.goWork(func() {
		select {
		case s.hub.starts <- struct{}{}:
		case <-s.gone:
			return
		case <-s.hub.ctx.Done():
			return
		}
		defer func() { <-s.hub.starts }()
		s.mu.Lock()
		s.queued = false
		s.mu.Unlock()
		select {
		case <-s.connectInBackground():
		case <-s.hub.ctx.Done():
		}
	})
	if !ok {
		s.connectInBackground() // which says that the hub is closed
	}
}

// later connects after a delay, unless someone else has by then.
func (s *supervisor) later(delay time.Duration) {
	select {
	case <-time.After(delay):
		s.connectInBackground()
	case <-s.gone:
	case <-s.hub.ctx.Done():
	}
}

// succeed replaces a session after a delay, unless it has ended by then.
func (s *supervisor) succeed(live *session, delay time.Duration) {
	select {
	case <-time.After(delay):
		s.mu.Lock()
		if s.live == live && !s.removed {
			s.begin()
		}
		s.mu.Unlock()
	case <-live.over:
	case <-s.hub.ctx.Done():
	}
}

// delay is how long to wait before a session follows live: nothing at first,
// and longer each time where sessions do not last.
func (s *supervisor) delay(live *session) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(live.began) > maxDelay {
		s.shortLived = 0
		return 0
	}
	s.shortLived++
	return jittered(min(firstDelay<<min(s.shortLived-1, 10), maxDelay))
}

// jittered is up to a quarter longer, so that those that failed together are not tried
// again together.
func jittered(delay time.Duration) time.Duration {
	return delay + rand.N(delay/4) //nolint:gosec // nothing depends on it being a secret
}
