package expr

import (
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/admission"
)

// A heapWatch finds the long evaluation that takes too much memory. Go cannot say
// whose memory it is. So when the heap has grown by half of what one evaluation may
// take, the long ones continue one at a time, and how much the heap grows meanwhile,
// garbage left out, is what that one takes. One that takes too much ends, and no other.
type heapWatch struct {
	mu      sync.Mutex
	running []*guard
	base    uint64      // bytes of the heap when the first of those running began
	urging  bool        // a goroutine has them check
	apart   atomic.Bool // they continue one at a time; written with the lock
	alone   *guard      // the one that does, then
	line    []*guard
}

var heap heapWatch

const (
	// urgeEvery is how long a watched evaluation may continue unchecked, at most.
	urgeEvery = time.Millisecond
	// aloneFor is how long one continues alone while others wait: garbage is collected
	// each time, so it is longer than a turn.
	aloneFor = 5 * admission.Slice
)

// A share is what the heap watch knows of one evaluation.
type share struct {
	next    chan struct{} // receives when it may continue alone, or all may
	shared  bool          // others have run at the same time
	base    uint64        // bytes of the heap when it began
	grown   int64         // bytes by which the heap grew while it continued alone
	mark    uint64        // bytes of the heap up to which grown counts; 0: not yet known
	swept   uint64        // bytes of the heap when garbage was collected last
	unknown bool          // it took more, before it continued alone
	since   time.Time     // when it was last its turn to continue alone
}

// watch adds g.
func (h *heapWatch) watch(g *guard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.share = share{next: make(chan struct{}, 1), base: heapBytes(), shared: len(h.running) > 0}
	for _, other := range h.running {
		other.shared = true
	}
	if !g.shared {
		h.base = g.base
	}
	h.running = append(h.running, g)
	if !h.urging {
		h.urging = true
		go h.urge()
	}
}

// forget removes g.
func (h *heapWatch) forget(g *guard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = slices.DeleteFunc(h.running, func(other *guard) bool { return other == g })
	h.line = slices.DeleteFunc(h.line, func(other *guard) bool { return other == g })
	if h.alone == g {
		h.pass()
	}
	if len(h.running) == 0 {
		h.apart.Store(false)
	}
}

// urge has every evaluation check at its next step, while there is any.
func (h *heapWatch) urge() {
	tick := time.NewTicker(urgeEvery)
	defer tick.Stop()
	for range tick.C {
		h.mu.Lock()
		for _, g := range h.running {
			g.urgent.Store(true)
		}
		h.urging = len(h.running) > 0
		urging := h.urging
		h.mu.Unlock()
		if !urging {
			return
		}
	}
}

// check returns when g may continue, and whether it has taken too much. The error is
// the context's cause.
func (h *heapWatch) check(ctx context.Context, g *guard) (tooMuch bool, err error) {
	bytes := heapBytes()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.apart.Load() {
		if int64(bytes)-int64(h.base) <= g.limits.MaxHeap/2 {
			return false, nil
		}
		h.apart.Store(true)
		for _, other := range h.running {
			other.unknown = other.shared
		}
		h.alone = g
		g.begins(bytes)
	}
	if h.alone == g && len(h.line) > 0 && time.Since(g.since) >= aloneFor {
		if h.weigh(g) {
			return true, nil
		}
		h.pass()
		if h.alone != nil { // what has just been measured is where it begins
			h.alone.mark = g.mark
		}
	}
	if h.apart.Load() && h.alone != g {
		h.line = append(h.line, g)
		if h.alone == nil {
			h.pass()
		}
		counts := g.grown > g.limits.MaxHeap/4
		h.mu.Unlock()
		err = g.wait(ctx, g.next, counts)
		h.mu.Lock()
	}
	if err != nil || h.alone != g { // all may continue
		return false, err
	}
	if g.mark == 0 && h.quiet() || int64(bytes)-int64(g.swept) > g.limits.MaxHeap/2 {
		return h.weigh(g), nil
	}
	return false, nil
}

// begins readies a share for continuing alone.
func (s *share) begins(bytes uint64) { s.mark, s.swept, s.since = 0, bytes, time.Now() }

// quiet reports whether all wait but the one that continues alone.
func (h *heapWatch) quiet() bool { return len(h.line) == len(h.running)-1 }

// weigh collects garbage and adds to what g, which continues alone, has taken. It
// reports whether that is too much. The lock is held, but not while it collects.
func (h *heapWatch) weigh(g *guard) bool {
	known := g.mark != 0
	h.mu.Unlock()
	now := collected()
	h.mu.Lock()
	quiet := h.quiet()
	switch {
	case !g.shared:
		g.grown = int64(now) - int64(g.base)
	case known && quiet:
		g.grown += int64(now) - int64(g.mark)
	}
	g.swept, g.mark = now, 0
	if quiet {
		g.mark = now
	}
	if g.grown > h.most(g) {
		return true
	}
	if h.settled(now, g.limits.MaxHeap/4) {
		h.together()
	}
	return false
}

// settled reports whether all may continue together: there was only garbage, or what
// they have taken is known of each. Then the heap may grow anew.
func (h *heapWatch) settled(now uint64, enough int64) bool {
	taken := int64(0)
	for _, g := range h.running {
		if taken += max(g.grown, 0); g.unknown {
			return int64(now)-int64(h.base) <= enough
		}
	}
	h.base = uint64(max(int64(now)-taken, 0))
	return taken <= enough
}

// most is how many bytes g may take: by its own limit, and what others than
// evaluations have reserved, who may take memory at the same time.
func (h *heapWatch) most(g *guard) int64 {
	others := g.turn.ReservedByAll()
	for _, e := range h.running {
		others -= e.reserved
	}
	return g.limits.MaxHeap + max(others, 0)
}

// pass lets the next in line continue alone.
func (h *heapWatch) pass() {
	h.alone = nil
	if len(h.line) > 0 {
		h.alone, h.line = h.line[0], h.line[1:]
		h.alone.begins(heapBytes())
		h.alone.next <- struct{}{}
	}
}

// together lets all continue again.
func (h *heapWatch) together() {
	h.apart.Store(false)
	h.alone = nil
	for _, g := range h.line {
		g.next <- struct{}{}
	}
	h.line = nil
}

// collected collects garbage and returns the bytes that are left.
func collected() uint64 {
	runtime.GC()
	return heapBytes()
}

// heapBytes returns the bytes of heap objects, garbage included.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
