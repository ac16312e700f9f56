package run_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// stopAt pauses a run before a node as a runtime does, and returns where the outcome comes.
func stopAt(ctx context.Context, d *run.Debugger, node string) <-chan string {
	out := make(chan string, 1)
	p := d.Stop(&run.Event{Key: node + "#0", Node: node, Type: "transform", Scope: expr.NewScope(nil, expr.Limits{})})
	if p == nil {
		out <- "runs"
		return out
	}
	go func() {
		defer p.Leave()
		by, err := p.Wait(ctx)
		if err != nil {
			by = run.AsFault(err).Code
		}
		out <- by
	}()
	return out
}

func keysOf(d *run.Debugger) (keys []string) {
	list, _, _ := d.Paused()
	for _, p := range list {
		keys = append(keys, p.Key+" "+p.Why)
	}
	return keys
}

// TestDebuggerReleasesOneBranch: branches pause by themselves. Continue lets one start, and
// with it those that have paused for a step alone; Step lets one start.
func TestDebuggerReleasesOneBranch(t *testing.T) {
	d := run.NewDebugger([]string{"b", "c"}, true, 0)
	a, b, c := stopAt(t.Context(), d, "a"), stopAt(t.Context(), d, "b"), stopAt(t.Context(), d, "c")
	if got, want := keysOf(d), []string{"a#0 step", "b#0 breakpoint", "c#0 breakpoint"}; !slices.Equal(got, want) {
		t.Fatalf("paused before %q, want %q", got, want)
	}
	if !d.Step("c#0") || <-c != run.ByStep {
		t.Error("c does not step")
	}
	if d.Step("c#0") || d.Continue("nowhere#0") {
		t.Error("a step continues that is not paused")
	}
	if got := <-stopAt(t.Context(), run.NewDebugger([]string{"b"}, false, 0), "a"); got != "runs" {
		t.Errorf("without a breakpoint, a node %s", got)
	}
	if !d.Continue("b#0") || <-b != run.ByContinue || <-a != run.ByContinue {
		t.Error("continue does not let those start that paused for a step")
	}
	if got := <-stopAt(t.Context(), d, "d"); got != "runs" {
		t.Errorf("after continue, a node without a breakpoint is %s", got)
	}
	d.SetBreakpoints(nil)
	if got := <-stopAt(t.Context(), d, "b"); got != "runs" {
		t.Errorf("a node whose breakpoint was removed is %s", got)
	}
}

// TestDebuggerLeavesPartsAlone: items and nested graphs have no breakpoints.
func TestDebuggerLeavesPartsAlone(t *testing.T) {
	d := run.NewDebugger([]string{"a"}, true, 0)
	if d.Stop(&run.Event{Key: "a#0[0]", Node: "a", Part: true}) != nil {
		t.Error("it pauses before an item")
	}
}

// TestPauseEnds: by the context, by an abort, and when nobody has used the debugger for as
// long as it says. Looking at what is paused is a use.
func TestPauseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		d := run.NewDebugger([]string{"a", "b"}, false, time.Minute)
		out := stopAt(ctx, d, "a")
		cancel(diag.Faultf("cancelled", "it was cancelled"))
		if got := <-out; got != "cancelled" {
			t.Errorf("a cancelled run: %s", got)
		}
		began := time.Now()
		out = stopAt(t.Context(), d, "a")
		time.Sleep(50 * time.Second)
		keysOf(d)
		if got, took := <-out, time.Since(began); got != "debug-timeout" || took != 110*time.Second {
			t.Errorf("a pause of which nobody takes notice: %s after %s", got, took)
		}
		out = stopAt(t.Context(), d, "a")
		other := stopAt(t.Context(), d, "b")
		d.Abort()
		d.Abort()
		if got := keysOf(d); len(got) > 0 {
			t.Errorf("an aborted run is paused before %q", got)
		}
		for _, out := range []<-chan string{out, other, stopAt(t.Context(), d, "next")} {
			if got := <-out; got != "cancelled" {
				t.Errorf("an aborted run: %s", got)
			}
		}
	})
}

// TestPauseEndsAsCancelled: so the run can be resumed.
func TestPauseEndsAsCancelled(t *testing.T) {
	d := run.NewDebugger([]string{"a"}, false, time.Nanosecond)
	p := d.Stop(&run.Event{Key: "a#0", Node: "a"})
	if _, err := p.Wait(t.Context()); !errors.Is(err, context.Canceled) || run.AsFault(err).Node != "a" {
		t.Errorf("the fault is %+v", err)
	}
	p.Leave()
	if p.Look(func(*expr.Scope) { t.Error("the scope is looked at") }) {
		t.Error("a step that is not paused can be looked at")
	}
}
