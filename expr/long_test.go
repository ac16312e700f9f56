package expr

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWaitingOfWhoHoldsMemory tells apart what an evaluation waits for and what others
// wait for because of it.
func TestWaitingOfWhoHoldsMemory(t *testing.T) {
	for _, counts := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			g := &guard{start: time.Now()}
			next := make(chan struct{}, 1)
			time.AfterFunc(time.Second, func() { next <- struct{}{} })
			if err := g.wait(t.Context(), next, counts); err != nil {
				t.Fatal(err)
			}
			want := time.Duration(0)
			if counts {
				want = time.Second
			}
			if lasted := time.Since(g.start); lasted != want {
				t.Errorf("the evaluation has lasted %v, want %v", lasted, want)
			}
		})
	}
}
