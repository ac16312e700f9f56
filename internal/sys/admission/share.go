package admission

import (
	"context"
	"slices"
	"sync/atomic"
)

// A Share is what one run has of a [Pool]. It is used by pointer, and safe for
// concurrent use.
type Share struct {
	pool      *Pool
	principal string
	request   uint64
	has       atomic.Int64 // bytes; written with the lock of the pool
	small     atomic.Int64 // bytes as long as it is smaller than Step and not joined

	// Guarded by the lock of the pool.
	growth *growth // that it waits for; nil if it does not wait
	joined bool    // it is one of the pool's
	ended  bool    // it had most when everybody waited
}

// A growth is what a share waits for. All branches of a run wait for the same.
type growth struct {
	waiter
	want     int64 // bytes that the share has then
	calls    int   // of Keep
	blocking int   // of those, the ones that the end of the run waits for
}

// Keep returns when the share has room for so many bytes in all. While it waits, the
// turn of ctx's work is given back. The error is a [*TooLarge], [ErrMost], or the
// context's cause.
func (s *Share) Keep(ctx context.Context, bytes int64) error {
	p := s.pool
	if p == nil || p.size == 0 || bytes <= s.has.Load() {
		return nil
	}
	if bytes < Step {
		s.count(bytes)
		return nil
	}
	if bytes > p.size {
		return &TooLarge{bytes, p.size}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.joined {
		s.joined = true
		p.shares = append(p.shares, s)
		small := s.small.Swap(0)
		p.small.Add(-small)
		p.used += small
		s.has.Store(small)
	}
	bytes = min((bytes+Step-1)/Step*Step, p.size)
	for s.has.Load() < bytes {
		if s.ended {
			return ErrMost
		}
		if err := s.wait(ctx, bytes); err != nil {
			return err
		}
	}
	return nil
}

// count counts what is too little to be waited for.
func (s *Share) count(bytes int64) {
	if s.has.Load() > 0 {
		return // it is one of the large ones
	}
	was := s.small.Load()
	if bytes = bytes / smallStep * smallStep; bytes > was && s.small.CompareAndSwap(was, bytes) {
		s.pool.small.Add(bytes - was)
	}
}

// wait returns when the share has grown, or has ended. The lock is held, but not
// while it waits.
func (s *Share) wait(ctx context.Context, bytes int64) error {
	p, turn := s.pool, From(ctx)
	if s.growth == nil {
		s.growth = &growth{waiter: waiter{ready: make(chan struct{}), share: s}}
		p.line.push(s.principal, s.request, &s.growth.waiter)
	}
	g, blocking := s.growth, 1
	if turn != nil && turn.detached {
		blocking = 0
	}
	g.want = max(g.want, bytes)
	g.calls++
	g.blocking += blocking
	p.settle()
	if g.granted {
		return nil
	}
	p.mu.Unlock()
	turn.Pause()
	var err error
	select {
	case <-g.ready:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.mu.Lock()
	if err == nil || g.granted {
		return err
	}
	g.calls--
	g.blocking -= blocking
	if g.calls == 0 {
		s.wake()
	}
	p.settle()
	return err
}

// lacks is how much more the share waits for.
func (s *Share) lacks() int64 {
	if s.growth == nil {
		return 0
	}
	return s.growth.want - s.has.Load()
}

// wake ends the waiting.
func (s *Share) wake() {
	w := &s.growth.waiter
	s.growth = nil
	w.grant()
	if line := &s.pool.line; line.peek() == w {
		line.pop()
	} else {
		w.gone = true
	}
}

// Most returns how many bytes all shares have together, 0 without a bound.
func (s *Share) Most() int64 {
	if s.pool == nil {
		return 0
	}
	return s.pool.size
}

// Close gives everything back. Nothing waits then.
func (s *Share) Close() {
	small := s.small.Swap(0)
	if !s.joined && small == 0 {
		return
	}
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.small.Add(-small)
	p.used -= s.has.Swap(0)
	p.shares = slices.DeleteFunc(p.shares, func(other *Share) bool { return other == s })
	if p.leader == s {
		p.leader = nil
	}
	p.settle()
}
