package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
)

// percent is how much garbage may gather before it is collected, as a part of
// what is in use: 400 cuts the processor time of a call to a third, and is paid
// for with memory that a large catalog cannot spare.
func percent(live uint64) int {
	switch mb := live >> 20; {
	case mb < 32:
		return 400
	case mb < 64:
		return 200
	case mb < 256:
		return 100
	}
	return 40
}

// tuneMemory fits the collector to what is in use, unless the operator has.
func tuneMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percent(live[0].Value.Uint64()))
}

// quiet is how long a catalog must stand before its memory is swept.
const quiet = 2 * time.Second

// sweepAfterChanges calls sweep, which returns memory to the system, whenever the
// catalog has changed and come to rest: building its index takes twice what it
// keeps.
func sweepAfterChanges(cat *catalog.Catalog, sweep func()) {
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		if !cat.Settled() {
			timer.Reset(quiet)
			return
		}
		sweep()
		tuneMemory()
	})
	timer.Reset(quiet)
	cat.OnChange(func() {
		tuneMemory()
		timer.Reset(quiet)
	})
}
