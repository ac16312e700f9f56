package expr

import (
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
)

// A hog takes more memory than it may, an innocent a part of it.
const (
	hog      = `$count($map([1..900], function($i) { [1..10000] }))`
	innocent = `$sum($map([1..300], function($i) { $length($pad("", 200, "x") & $i) }))`
)

// TestOnlyTheHogEnds evaluates two expressions many times at once, with the turns and the
// memory of a queue and without them: what one takes does not count for another.
func TestOnlyTheHogEnds(t *testing.T) {
	for name, queue := range map[string]*admission.Queue{"queue": admission.New(admission.Options{Bytes: 256 << 20}), "no queue": nil} {
		t.Run(name, func(t *testing.T) { onlyTheHogEnds(t, queue) })
	}
}

func onlyTheHogEnds(t *testing.T, queue *admission.Queue) {
	programs := map[string]*Program{}
	for _, src := range []string{hog, innocent} {
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(fault)
		}
		programs[src] = p
	}
	evaluate := func(src string) string {
		ctx := t.Context()
		if queue != nil {
			w := &admission.Work{Context: ctx, Turn: queue.Turn(src, admission.NewRequest())}
			defer w.Turn.End()
			ctx = w
		}
		_, err := programs[src].Eval(ctx, NewScope(nil, Limits{Timeout: time.Hour, MaxMemory: 32 << 20}))
		return codeOf(err)
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			src, want := innocent, "none"
			if i%16 == 0 {
				src, want = hog, "too-much-memory"
			}
			if got := evaluate(src); got != want {
				t.Errorf("%s ends with %s, want %s", src, got, want)
			}
		})
	}
	all.Wait()
	if queue != nil {
		if s := queue.State(); s.Turns != 0 || s.Reserved != 0 {
			t.Errorf("state %+v, want nothing in use", s)
		}
	}
}
