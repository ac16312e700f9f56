package admission

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// Step is in what amounts a [Share] grows, in bytes. One that is smaller never waits.
	Step = 1 << 20
	// smallStep is in what amounts a smaller share is counted.
	smallStep = 64 << 10
)

// ErrMost is the error of the [Share] that has most of a [Pool] when all that have
// some of it wait for more.
var ErrMost = errors.New("all work waits for memory, and none of it can be freed")

// A Pool is memory for what is kept longer than a turn, such as the values of runs.
// Each run has a [Share] of it, which grows while the run does.
//
// Half of the pool is for everybody. The other half is for one run at a time, the
// first that finds the first half full, until it ends: so runs that need no more than
// half of the pool all end, one after the other. It is safe for concurrent use.
type Pool struct {
	size  int64        // 0 has no bound
	small atomic.Int64 // bytes in use by shares that are smaller than Step

	mu     sync.Mutex
	used   int64
	shares []*Share // that have something or wait
	leader *Share   // that may use the second half; nil if none does
	line   line
}

// NewPool returns a pool of so many bytes; 0 has no bound.
func NewPool(bytes int64) *Pool { return &Pool{size: bytes} }

// PoolState is what is in use of a [Pool].
type PoolState struct {
	Kept, Bytes int64 // in use, and in all; 0 bytes have no bound
	Waiting     int   // shares that wait to grow
}

// State returns what is in use.
func (p *Pool) State() PoolState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := PoolState{Kept: p.inUse(), Bytes: p.size}
	for _, share := range p.shares {
		if share.growth != nil {
			s.Waiting++
		}
	}
	return s
}

// inUse is how many bytes all shares have.
func (p *Pool) inUse() int64 { return p.used + p.small.Load() }

// Share returns the share of a request of a principal, with nothing in it. That of a
// nil Pool has no bound.
func (p *Pool) Share(principal string, request uint64) Share {
	return Share{pool: p, principal: principal, request: request}
}

// settle grants what can be granted. If everybody waits then, it ends the share that
// has most.
func (p *Pool) settle() {
	for s := p.next(); s != nil; s = p.next() {
		p.used += s.lacks()
		s.has.Store(s.growth.want)
		s.wake()
	}
	if p.line.empty() || p.progresses() {
		return
	}
	most := slices.MaxFunc(p.shares, func(a, b *Share) int {
		return cmp.Or(cmp.Compare(a.has.Load(), b.has.Load()), cmp.Compare(a.lacks(), b.lacks()))
	})
	most.ended = true
	most.wake()
}

// next returns a share that gets what it waits for, nil if none does now. Who needs
// much is overtaken only if no other share would ever give anything back.
func (p *Pool) next() *Share {
	head := p.line.peek()
	if head == nil {
		return nil
	}
	switch {
	case p.leader != nil && p.leader.growth != nil:
	case p.inUse()+head.share.lacks() <= p.size/2:
		return head.share
	case p.leader == nil:
		p.leader = head.share
	}
	if p.fits(p.leader) {
		return p.leader
	}
	if !p.progresses() {
		for _, s := range p.shares {
			if p.fits(s) {
				return s
			}
		}
	}
	return nil
}

// fits reports whether a share waits, and there is what it waits for.
func (p *Pool) fits(s *Share) bool { return s.growth != nil && p.inUse()+s.lacks() <= p.size }

// progresses reports whether somebody will give something back without getting more.
func (p *Pool) progresses() bool {
	return p.small.Load() > 0 || slices.ContainsFunc(p.shares, func(s *Share) bool {
		return s.has.Load() > 0 && (s.growth == nil || s.growth.blocking == 0)
	})
}
