package expr

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// A heapWatch ends long evaluations when the heap of the process grows beyond
// what they may take. Go cannot say whose memory it is, so when evaluations
// overlap all the long ones end. It samples only while there are any.
type heapWatch struct {
	mu      sync.Mutex
	running map[*guard]uint64 // and the heap when it joined
	on      bool              // a goroutine samples
}

var heap = heapWatch{running: map[*guard]uint64{}}

const sampleEvery = time.Millisecond

// watch adds g, and starts sampling if it is the first.
func (h *heapWatch) watch(g *guard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running[g] = heapBytes()
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
// judges; at twice the allowance there is no time for that.
func (h *heapWatch) sample() {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	var collected time.Time
	for now := range tick.C {
		bytes := heapBytes()
		suspect := h.over(bytes, 1, 2, false)
		if suspect && now.Sub(collected) > 50*time.Millisecond {
			collected = now
			runtime.GC()
			h.over(heapBytes(), 1, 1, true)
		}
		h.over(bytes, 2, 1, true)
		h.mu.Lock()
		h.on = len(h.running) > 0
		done := !h.on
		h.mu.Unlock()
		if done {
			return
		}
	}
}

// over reports whether the heap grew beyond num/den of what some evaluation may
// take, and tells those to end.
func (h *heapWatch) over(bytes uint64, num, den int64, end bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := false
	for g, base := range h.running {
		if int64(bytes)-int64(base) > g.limits.MaxHeap*num/den {
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
