package expr

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/admission"
)

// A hog takes more memory than it may, an innocent tens of milliseconds and a part
// of the memory that it may take.
const (
	hog      = `$count($map([1..900], function($i) { [1..10000] }))`
	innocent = `$sum($map([1..3000], function($i) { $length($pad("", 200, "x") & $i) }))`
)

// TestOnlyTheHogEnds evaluates hundreds of innocents while hogs are ended, with the
// turns and the memory of a queue and without them.
func TestOnlyTheHogEnds(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes half a minute, and measures memory")
	}
	for name, queue := range map[string]*admission.Queue{"queue": admission.New(admission.Options{Bytes: 256 << 20}), "no queue": nil} {
		t.Run(name, func(t *testing.T) { onlyTheHogEnds(t, queue) })
	}
}

func onlyTheHogEnds(t *testing.T, queue *admission.Queue) {
	evaluate := func(src, principal string) error {
		p, fault := Compile(src)
		if fault != nil {
			t.Error(fault)
			return nil
		}
		ctx := t.Context()
		if queue != nil {
			w := &admission.Work{Context: ctx, Turn: queue.Turn(principal, admission.NewRequest())}
			defer w.Turn.End()
			ctx = w
		}
		_, err := p.Eval(ctx, NewScope(nil, Limits{Timeout: time.Hour, MaxHeap: 32 << 20}))
		return err
	}
	const innocents, callers = 256, 8
	var left, over sync.WaitGroup
	var begun, hogs atomic.Int64
	done := make(chan struct{})
	for range 1 {
		over.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := evaluate(hog, "hog"); codeOf(err) != "too-much-memory" {
					t.Errorf("a hog ended with %v", err)
				}
				hogs.Add(1)
			}
		})
	}
	for range callers {
		left.Go(func() {
			for begun.Add(1) <= innocents {
				if err := evaluate(innocent, "innocent"); err != nil {
					t.Errorf("an innocent ended with %v", err)
				}
			}
		})
	}
	left.Wait()
	close(done)
	over.Wait()
	t.Logf("%d hogs ended", hogs.Load())
	if queue != nil {
		if s := queue.State(); s.Turns != 0 || s.Reserved != 0 {
			t.Errorf("state %+v, want nothing in use", s)
		}
	}
	if len(heap.running)+len(heap.line) != 0 || heap.alone != nil || heap.apart.Load() {
		t.Error("the heap watch knows evaluations that have ended")
	}
}
