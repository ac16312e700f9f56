package expr

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// A heapWatch ends long evaluations when the heap of the process grows beyond
// what they may take. Go cannot say whose memory it is, so when evaluations
// overlap all the long ones end. It samples only while there are any.
type heapWatch struct {
	mu      sync.Mutex
	running map[*guard]bool
	on      bool // a goroutine samples
}

var heap = heapWatch{running: map[*guard]bool{}}

const (
	sampleEvery  = time.Millisecond
	collectEvery = 50 * time.Millisecond // at least,
	restAfter    = 3                     // and so many times what the last one took
)

// watch adds g, and starts sampling if it is the first.
func (h *heapWatch) watch(g *guard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.base = heapBytes()
	h.running[g] = true
	if !h.on {
		h.on = true
		go h.sample()
	}
}

// forget removes g.
func (h *heapWatch) forget(g *guard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.running, g)
}

// sample runs until nothing is left to watch. Half of the allowance may be
// garbage that the collector has not looked at, so there it collects before it
// decides, while sampling continues; at twice the allowance there is no time for
// that.
func (h *heapWatch) sample() {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	var rest atomic.Int64 // when to collect again at the earliest, in Unix nanoseconds
	for now := range tick.C {
		bytes := heapBytes()
		if t := rest.Load(); now.UnixNano() > t && h.over(bytes, 1, 2, false) && rest.CompareAndSwap(t, math.MaxInt64) {
			go func() {
				runtime.GC()
				h.over(heapBytes(), 1, 1, true)
				took := time.Since(now)
				rest.Store(now.Add(took + max(collectEvery, restAfter*took)).UnixNano())
			}()
		}
		h.over(bytes, 2, 1, true)
		if !h.urge() {
			return
		}
	}
}

// urge has every evaluation check at its next step, and reports whether there is
// any.
func (h *heapWatch) urge() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.running {
		g.urgent.Store(true)
	}
	h.on = len(h.running) > 0
	return h.on
}

// over reports whether the heap grew beyond num/den of what some evaluation may
// take, and tells those to end.
func (h *heapWatch) over(bytes uint64, num, den int64, end bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := false
	for g := range h.running {
		if int64(bytes)-int64(g.base) > g.limits.MaxHeap*num/den {
			found = true
			if end {
				g.greedy.Store(true)
			}
		}
	}
	return found
}

// heapBytes returns the bytes of heap objects, garbage included.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
