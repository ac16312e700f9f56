package main

import (
	"fmt"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/specs"
)

// TestMemoryIsSweptWhenTheCatalogRests changes a catalog once a second, so that it
// never rests, and then stops.
func TestMemoryIsSweptWhenTheCatalogRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalog.New()
		sweeps := 0
		sweepAfterChanges(cat, func() { sweeps++ })
		after := func(wait time.Duration, want int, when string) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			if sweeps != want {
				t.Errorf("%s: %d sweeps, want %d", when, sweeps, want)
			}
		}
		after(3*time.Second, 1, "after the start")
		after(time.Hour, 1, "an hour without a change")
		for i := range 10 {
			cat.Replace("server:s", []*specs.Spec{{NodeType: "mcp", Subtype: fmt.Sprintf("s/tool_%d", i)}})
			after(time.Second, 1, "between changes")
		}
		after(3*time.Second, 2, "after the last change")
	})
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
	tuneMemory()
	if got := debug.SetGCPercent(before); got != 77 {
		t.Errorf("GOGC=77 became %d", got)
	}
}
