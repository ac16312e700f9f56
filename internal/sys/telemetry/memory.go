package telemetry

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A heap is the state of the program's memory.
type heap struct {
	live   uint64 // bytes in use when garbage was last collected
	waste  uint64 // bytes that collecting and returning would give to the system
	cycles uint64 // collections so far
}

// ReadHeap measures the heap of the process.
func ReadHeap() heap {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s)
	live, objects, free := s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64()
	return heap{live: live, waste: objects - min(objects, live) + free, cycles: s[3].Value.Uint64()}
}

// percent is how much garbage may gather before it is collected, as a part of
// what is in use: 400 cuts the processor time of a call to a third, and is paid
// for with memory that a large catalog cannot spare.
func percent(live uint64) int {
	switch mb := live >> 20; {
	case mb < 32:
		return 400
	case mb < 64:
		return 200
	case mb < 128:
		return 100
	case mb < 256:
		return 50
	}
	return 25
}

// TuneMemory fits the collector to what is in use, unless the operator has.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent(ReadHeap().live))
	}
}

// TuneEachCollection fits the collector to what is in use, now and after each
// collection, unless the operator has: a document of megabytes takes hundreds of them
// within a second.
func TuneEachCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	TuneMemory()
	s := &sentinel{}
	runtime.SetFinalizer(s, afterCollection)
}

// A sentinel is collected, and made again, by each collection.
type sentinel struct{ _ *sentinel }

func afterCollection(s *sentinel) {
	TuneMemory()
	runtime.SetFinalizer(s, afterCollection)
}

// Idle is how long the program must be idle before memory is returned.
const Idle = 5 * time.Second

// SweepWhenIdle returns memory to the system until ctx ends, whenever much of it
// lies unused, at least 4 MB and a quarter of what is in use, and no garbage is
// collected for a while: building an index, and reading long lists of tools,
// takes several times what it keeps.
func SweepWhenIdle(ctx context.Context, read func() heap, sweep func()) {
	tick := time.NewTicker(Idle)
	defer tick.Stop()
	last := read()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := read()
		if now.cycles == last.cycles && now.waste > max(4<<20, now.live/4) {
			sweep()
			now = read()
		}
		last = now
	}
}

// FreeMemory collects garbage, returns what it took to the system, and fits the
// collector to what is left.
func FreeMemory() {
	debug.FreeOSMemory()
	TuneMemory()
}
