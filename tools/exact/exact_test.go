package exact_test

import (
	"context"
	"flag"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/tools/exact/graphs"
)

var every = flag.Bool("exact.every", false, "whether more and larger graphs are stopped at every place, and resumed by every decision there")

// An effort says how thorough TestResumedRunsAreExact is.
type effort struct {
	graphs uint64
	small  int // events of a graph that is stopped at each of them, and resumed by each decision there
	places int // at which a larger graph is stopped in each way, and resumed by one decision
	events int // of all the runs of such a graph in one way, about
}

// TestResumedRunsAreExact stops runs of random graphs and of functions at events and calls of theirs, in
// every way, and resumes them by decisions until they end. Small graphs are stopped at
// every place and resumed by every decision there.
func TestResumedRunsAreExact(t *testing.T) {
	e := effort{graphs: 120, small: 40, places: 8, events: 2500}
	switch {
	case *every:
		e = effort{graphs: 400, small: 250, places: 300, events: 200_000}
	case testing.Short():
		e = effort{graphs: 20, small: 40, places: 3, events: 500}
	}
	for _, seed := range graphs.Seeds(e.graphs) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			g := randomPlan(t, seed, true)
			synctest.Test(t, func(t *testing.T) {
				x := &exactRun{plan: g.plan, seed: seed}
				clean := newSite(seed)
				want := x.finish(clean, x.begin(clean))
				all := clean.events <= e.small
				for i, stop := range stops {
					places := clean.events + 1
					if slices.Contains(callStops, stop) {
						places = clean.arrived
					}
					step := 1
					if !all {
						step = places/min(e.places, 1+e.events/clean.events) + 1
					}
					for at := 1 + (int(seed)+i)%step; at <= places; at += step {
						x.stop(t, stop, at, all, func(s *site, got string) {
							if !g.timeouts && s.untouched && !s.injected && got != want && got != "" {
								s.breaks("the result is %s, want %s", got, want)
							}
							for _, what := range s.broken {
								t.Errorf("seed %d, %s at %d: %s", seed, stop, at, what)
							}
							if t.Failed() {
								t.Fatalf("graphs:\n%s", g.src)
							}
						})
					}
				}
			})
		})
	}
}

// exactRun runs one plan at sites.
type exactRun struct {
	plan *engine.Plan
	seed uint64
}

// stop stops the run at a place, resumes it by one decision or each that is possible
// there, and passes each site on with the result of the run, "" where nothing was kept.
func (x *exactRun) stop(t *testing.T, stop string, at int, all bool, ended func(*site, string)) {
	t.Helper()
	s := newSite(x.seed<<20 + uint64(at))
	s.stop, s.at = stop, at
	rec := x.begin(s)
	if !all || rec == nil || rec.Status == run.Succeeded || len(s.broken) > 0 {
		ended(s, x.finish(s, rec))
		return
	}
	for i := range options(rec) {
		f, again := s.fork(x.seed<<20+uint64(at)<<8+uint64(i)), copied(rec)
		f.check(again)
		x.resume(f, &again, options(again)[i])
		ended(f, x.finish(f, again))
	}
}

// attempt executes a run until it stops, and returns what the next process reads of it.
func (x *exactRun) attempt(s *site, f func(context.Context) *run.Record) *run.Record {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	s.cancel = cancel
	rec := f(ctx)
	cancel(nil)
	s.attempts++
	synctest.Wait()
	return s.reload(rec)
}

// begin starts the run, and answers what it asks until the site has stopped it.
func (x *exactRun) begin(s *site) *run.Record {
	o := local.Options{Options: run.Options{ID: "run"}, Journal: s, NewRun: true}
	o.Limits.MaxResultBytes = maxResult
	if s.stop == stopLimit {
		o.Limits.MaxNodeExecutions = s.at
	}
	rec := x.attempt(s, func(ctx context.Context) *run.Record { return local.Run(ctx, x.plan, s, nil, o) })
	for rec != nil && !s.fired && rec.Fault != nil && rec.Fault.Code == run.NeedsAnswer && len(s.broken) == 0 {
		s.check(rec)
		s.take(rec, option{answer: rec.Questions()[0].Step})
		rec = x.attempt(s, func(ctx context.Context) *run.Record {
			return local.Resume(ctx, x.plan, s, rec, local.Options{Journal: s})
		})
	}
	return rec
}

// resume takes an option and continues the run, which may be stopped again.
func (x *exactRun) resume(s *site, rec **run.Record, o option) {
	s.take(*rec, o)
	(*rec).Options.Limits = run.Limits{MaxResultBytes: maxResult}
	if s.at = -1; s.stop != "" && s.attempts < 5 && s.IntN(2) == 0 {
		s.stop, s.at, s.events, s.arrived = stops[s.IntN(len(stops))], 1+s.IntN(20), 0, 0
		switch {
		case s.stop == stopLimit:
			(*rec).Options.Limits.MaxNodeExecutions = 1 + s.IntN(40)
		case slices.Contains(callStops, s.stop):
			s.at = 1 + s.IntN(4)
		}
	}
	*rec = x.attempt(s, func(ctx context.Context) *run.Record {
		return local.Resume(ctx, x.plan, s, *rec, local.Options{Journal: s})
	})
}

// finish resumes the run until it ends. It returns the result, "" where nothing of the
// run was kept.
func (x *exactRun) finish(s *site, rec *run.Record) string {
	for resumed := 0; rec != nil && rec.Status != run.Succeeded && len(s.broken) == 0; resumed++ {
		s.check(rec)
		if resumed > 200 {
			s.breaks("the run does not end: %v", rec.Fault)
			break
		}
		x.resume(s, &rec, s.choose(rec, resumed))
	}
	if rec == nil {
		return ""
	}
	result, _ := expr.Encode(rec.Result)
	return string(result)
}
