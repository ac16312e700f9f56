package telemetry

import (
	"context"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestMemoryIsReturnedWhenNothingGoesOn lets a program allocate, work and rest.
func TestMemoryIsReturnedWhenNothingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // guards both
		now := heap{live: 100 << 20}
		sweeps := 0
		change := func(f func()) {
			mu.Lock()
			defer mu.Unlock()
			f()
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go SweepWhenIdle(ctx, func() (h heap) {
			change(func() { h = now })
			return h
		}, func() {
			change(func() {
				sweeps++
				now.waste = 1 << 20
				now.cycles++
			})
		})
		after := func(wait time.Duration, want int, when string) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			change(func() {
				if sweeps != want {
					t.Errorf("%s: %d sweeps, want %d", when, sweeps, want)
				}
			})
		}
		after(time.Minute, 0, "nothing unused")
		change(func() { now.waste = 20 << 20 })
		after(time.Minute, 0, "less than a quarter unused")
		change(func() { now.waste = 200 << 20 })
		for range 10 {
			change(func() { now.cycles++ })
			after(Idle, 0, "at work")
		}
		after(2*Idle, 1, "at rest")
		after(time.Hour, 1, "still at rest")
		change(func() { now.waste = 200 << 20 })
		cancel()
		after(time.Hour, 1, "after the end")
	})
}

// What lies unused is seen, and is gone after it was returned.
func TestWasteIsSeen(t *testing.T) {
	garbage := make([][]byte, 64)
	for i := range garbage {
		garbage[i] = make([]byte, 1<<20)
		garbage[i][i] = 1
	}
	debug.FreeOSMemory()
	full := ReadHeap()
	clear(garbage)
	FreeMemory()
	empty := ReadHeap()
	if full.live < 64<<20 || empty.live > full.live-60<<20 || empty.waste > 16<<20 || empty.cycles <= full.cycles {
		t.Errorf("with 64 MB in use %+v, without %+v", full, empty)
	}
}

// The larger the catalog, the less garbage it may gather; what the operator has
// set stands.
func TestCollectorMindsTheSize(t *testing.T) {
	last := 1000
	for _, mb := range []uint64{0, 31, 32, 64, 256, 1 << 20} {
		p := percent(mb << 20)
		if p > last || p < 20 {
			t.Errorf("%d MB in use: %d percent, after %d for less", mb, p, last)
		}
		last = p
	}
	t.Setenv("GOGC", "77")
	before := debug.SetGCPercent(77)
	TuneMemory()
	if got := debug.SetGCPercent(before); got != 77 {
		t.Errorf("GOGC=77 became %d", got)
	}
}
