package exact_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestLostResultsAreComputedAgain takes from the records of runs of random graphs what
// a crash or the journal may leave out: walking the run again gives the same.
func TestLostResultsAreComputedAgain(t *testing.T) {
	graphs := uint64(1000)
	if testing.Short() {
		graphs = 60
	}
	for seed := range graphs {
		synctest.Test(t, func(t *testing.T) {
			g := randomPlan(t, 1000+seed, false)
			plan, src, timeouts := g.plan, g.src, g.timeouts
			s := newSite(seed)
			s.stop = "nothing"
			whole := local.Run(t.Context(), plan, s, nil, local.Options{Options: run.Options{ID: "run"}, Journal: s})
			for i := 0; i < 200 && whole.Status != run.Succeeded; i++ { // a step may have exceeded its time limit
				s.take(whole, s.choose(whole, 2*i))
				whole = local.Resume(t.Context(), plan, s, whole, local.Options{Journal: s})
			}
			if whole.Status != run.Succeeded {
				t.Fatalf("seed %d: %s %v", seed, whole.Status, whole.Fault)
			}
			whole.Options.Limits.MaxNodeExecutions = executions(whole) // walking it again takes no more
			if found := local.Compare(whole, local.Replay(t.Context(), plan, whole)); len(found) > 0 {
				t.Fatalf("seed %d: the replay differs: %+v\n%s", seed, found, src)
			}
			for what, drop := range losses {
				if timeouts && what == "what was written behind" {
					continue // doing it again may take another time
				}
				less := copied(whole)
				changed := drop(less)
				if what == "values" {
					completed := copied(less)
					local.Complete(t.Context(), plan, completed)
					same(t, seed, "values that are looked at", src, whole, completed, nil, nil)
				}
				less.Status = run.Interrupted
				again := newSite(seed)
				for key, state := range s.calls {
					again.calls[key], again.made[key] = state, s.made[key]
				}
				for key := range changed {
					delete(again.calls, key+"/call")
				}
				got := local.Resume(t.Context(), plan, again, less, local.Options{Journal: again})
				gone := inside(whole, func(s *run.StepRecord) bool { return s.Fault != nil || s.Given() })
				maps.Copy(gone, changed)
				same(t, seed, what, src, whole, got, gone, again.broken)
			}
		})
	}
}

// executions returns how many node executions a run has taken.
func executions(rec *run.Record) (n int) {
	for i := range rec.Steps {
		if !rec.Steps[i].Frame {
			n++
		}
	}
	return n
}

// losses remove from a record what may be missing, and return the keys of the steps of
// which nothing is left.
var losses = map[string]func(*run.Record) map[string]bool{
	"values": func(r *run.Record) map[string]bool {
		for i := range r.Steps {
			if step := r.Steps[i]; step.Follows() && step.Ended > 0 {
				step.Input, step.Output, step.Lost = nil, nil, true
			}
		}
		return nil
	},
	"traces": func(r *run.Record) map[string]bool {
		gone := map[string]bool{}
		for i := range r.Steps {
			if step := r.Steps[i]; step.Follows() {
				gone[step.Key] = true
				*step = run.StepRecord{Index: i}
			}
		}
		return gone
	},
	"what was written behind": func(r *run.Record) map[string]bool {
		last := 0 // what ended before the last intent that was on disk first
		for i := range r.Steps {
			if step := r.Steps[i]; step.Given() {
				last = max(last, step.Ended)
			}
		}
		for i := range r.Intents {
			if in := &r.Intents[i]; in.Kind == run.IntentCall {
				at := slices.IndexFunc(r.Steps, func(s *run.StepRecord) bool { return s.Key == in.Step })
				last = max(last, r.Steps[at].Ended)
			}
		}
		gone := map[string]bool{}
		for i := range r.Steps {
			switch step := r.Steps[i]; {
			case step.Ended <= last:
			case step.Frame: // it has begun
				step.Ended, step.Input, step.Output, step.Fault, step.Caught = 0, nil, nil, nil, false
			default:
				gone[step.Key] = true
				*step = run.StepRecord{Index: i}
			}
		}
		r.Intents = slices.DeleteFunc(r.Intents, func(in run.Intent) bool { return gone[in.Step] })
		return gone
	},
}

// inside returns the keys of steps that are not computed again: those of attempts that
// were followed by another, and those inside of steps that are taken as a whole.
func inside(rec *run.Record, whole func(*run.StepRecord) bool) map[string]bool {
	not := map[string]bool{}
	for key := range rec.FailedAttempts() {
		not[key] = true
	}
	for i := range rec.Steps {
		if whole(rec.Steps[i]) {
			not[rec.Steps[i].Key] = true
		}
	}
	left := map[string]bool{}
	for i := range rec.Steps {
		key := rec.Steps[i].Key
		left[key] = slices.ContainsFunc(run.Enclosing(key), func(of string) bool { return not[of] })
	}
	maps.DeleteFunc(left, func(_ string, is bool) bool { return !is })
	return left
}

// same compares a run with what became of the one that it was taken from. What is gone
// of the inside of a step that was kept stays gone.
func same(t *testing.T, seed uint64, what, src string, want, got *run.Record, gone map[string]bool, broken []string) {
	t.Helper()
	was, is := outcomes(want), outcomes(got)
	for key := range gone {
		if came, again := is[key]; !again || strings.HasPrefix(came, "lost") {
			delete(was, key)
			delete(is, key)
		}
	}
	if diff := cmp.Diff(was, is); diff != "" || len(broken) > 0 {
		t.Fatalf("seed %d, without %s: %v %q (-want +got):\n%s\n%s", seed, what, got.Fault, broken, diff, src)
	}
}

// outcomes are what the steps of a run came to, by key, and its result.
func outcomes(rec *run.Record) map[string]string {
	result, _ := expr.Encode(rec.Result)
	out := map[string]string{"result": string(rec.Status) + " " + string(result)}
	for i := range rec.Steps {
		step := rec.Steps[i]
		if step.Key == "" || step.Fault != nil && !step.Caught {
			continue
		}
		in, _ := expr.Encode(step.Input)
		came, _ := expr.Encode(step.Output)
		lost := ""
		if step.Lost {
			lost = "lost "
		}
		out[step.Key] = lost + step.Simulated + string(in) + " -> " + string(came)
	}
	return out
}
