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
			g := &guard{start: time.Now(), limits: Limits{Timeout: 2 * time.Second}}
			next := make(chan struct{}, 1)
			time.AfterFunc(freeWait/2, func() { next <- struct{}{} })
			if err := g.wait(t.Context(), next, counts); err != nil {
				t.Fatal(err)
			}
			want := time.Duration(0)
			if counts {
				want = freeWait / 2
			}
			if lasted := time.Since(g.start); lasted != want {
				t.Errorf("the evaluation has lasted %v, want %v", lasted, want)
			}
		})
	}
}

// TestWaitingEnds tells when an evaluation that waits for others is answered: its time is
// over, and what it may wait beyond it.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &guard{Context: t.Context(), start: time.Now(), limits: Limits{Timeout: 2 * time.Second}}
		began := time.Now()
		if err := g.wait(t.Context(), nil, false); err == nil {
			t.Error("it waits for ever")
		}
		if waited := time.Since(began); waited != 2*time.Second+freeWait {
			t.Errorf("it waits %v", waited)
		}
		if err := g.overNow(); err == nil {
			t.Error("it continues")
		}
	})
}
