package engine_test

import (
	"context"
	"encoding/json"
	"flag"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

var everyEvent = flag.Bool("exact.every", false, "whether TestResumedRunsAreExact stops at every event, not only at some of each graph")

// TestResumedRunsAreExact stops runs of random graphs at events of theirs, in every way,
// and resumes them by random decisions until they end.
func TestResumedRunsAreExact(t *testing.T) {
	graphs, most := uint64(70), 10 // events of a graph to stop at
	switch {
	case *everyEvent:
		graphs, most = 200, 1<<20
	case testing.Short():
		graphs, most = 12, 6
	}
	for seed := range graphs {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			plan, src, timeouts := randomPlan(t, seed, true)
			exact := &exactRun{plan: plan}
			synctest.Test(t, func(t *testing.T) {
				clean := newSite(seed)
				want := exact.finish(clean)
				if clean.most > 250 || clean.attempts > 12 {
					t.Skip("the graph is too large")
				}
				every := clean.most/most + 1
				for i, stop := range stops {
					for at := 1 + (int(seed)+i)%every; at <= clean.most+1; at += every {
						s := newSite(seed<<20 + uint64(at))
						s.stop, s.at = stop, at
						got := exact.finish(s)
						if !timeouts && s.untouched && !s.injected && got != want && got != "" {
							s.breaks("the result is %s, want %s", got, want)
						}
						for _, what := range s.broken {
							t.Errorf("seed %d, %s at event %d: %s", seed, stop, at, what)
						}
						if t.Failed() {
							t.Fatalf("graphs:\n%s", src)
						}
					}
				}
			})
		})
	}
}

// exactRun runs one plan at sites.
type exactRun struct {
	plan *engine.Plan
}

// finish runs the plan, and resumes it until it ends. It returns the result, "" where
// nothing of the run was kept.
func (x *exactRun) finish(s *site) string {
	o := local.Options{Options: run.Options{ID: "run"}, Journal: s, NewRun: true}
	if s.stop == stopLimit {
		o.Limits.MaxNodeExecutions = s.at
	}
	var rec *run.Record
	attempt := func(f func(context.Context) *run.Record) {
		ctx, cancel := context.WithCancelCause(context.Background())
		s.cancel, s.events = cancel, 0
		rec = f(ctx)
		cancel(nil)
		s.most, s.attempts = max(s.most, s.events), s.attempts+1
		synctest.Wait()
		rec = s.reload(rec)
	}
	attempt(func(ctx context.Context) *run.Record { return local.Run(ctx, x.plan, s, nil, o) })
	for resumed := 0; rec != nil && rec.Status != run.Succeeded && len(s.broken) == 0; resumed++ {
		s.check(rec)
		if resumed > 200 {
			s.breaks("the run does not end: %v, open %s", rec.Fault, openKeys(rec))
			break
		}
		s.decide(rec, resumed)
		rec.Options.Limits = run.Limits{}
		if s.at = -1; resumed < 4 && s.stop != "" && s.IntN(2) == 0 {
			s.stop, s.at = stops[s.IntN(len(stops))], 1+s.IntN(20)
			if s.stop == stopLimit {
				rec.Options.Limits.MaxNodeExecutions = 1 + s.IntN(40)
			}
		}
		attempt(func(ctx context.Context) *run.Record { return local.Resume(ctx, x.plan, s, rec, o) })
	}
	if rec == nil {
		return ""
	}
	result, _ := expr.Encode(rec.Result)
	return string(result)
}

func openKeys(rec *run.Record) (keys []string) {
	for _, step := range rec.Open() {
		keys = append(keys, step.Key)
	}
	return keys
}

// check sees that a run that has stopped asks for a decision where one is needed, and
// that every decision is possible.
func (s *site) check(rec *run.Record) {
	if rec.Fault == nil {
		s.breaks("%s without a fault", rec.Status)
		return
	}
	call := run.CallOf(rec.Fault)
	switch rec.Fault.Code {
	case run.OutcomeUnknown:
		if state := s.calls[call.Step+"/call"]; state != unknown {
			s.breaks("the run asks about %q, which is %q", call.Step, state)
		}
		if !slices.Contains(openKeys(rec), call.Step) {
			s.breaks("the run asks about %q, which is not open: %q", call.Step, openKeys(rec))
		}
	case run.Diverged, "internal-error", "graph-changed", "journal-failed":
		if rec.Fault.Code != "journal-failed" {
			s.breaks("%s: %v", rec.Fault.Code, rec.Fault)
		}
	case run.NeedsAnswer:
		if len(rec.Questions()) == 0 {
			s.breaks("the run waits for an answer to no question")
		}
	}
	for _, step := range rec.Open() {
		if s.calls[step.Key+"/call"] == completed {
			s.breaks("%s has completed and is open", step.Key)
		}
		if s.given[step.Key] {
			s.breaks("%s was decided and is open: %v", step.Key, rec.Fault)
		}
		for _, do := range []string{"skip", "pin"} {
			if fault := copied(rec).Decide(run.Decision{Do: do, Step: step.Key}, time.Now()); fault != nil {
				s.breaks("%s %s: %v", do, step.Key, fault)
			}
		}
	}
}

// decide answers a question, or decides about an open step.
func (s *site) decide(rec *run.Record, resumed int) {
	if asked := rec.Questions(); len(asked) > 0 && s.IntN(3) > 0 {
		if _, fault := rec.Reply(asked[s.IntN(len(asked))].Step, run.Answer{Action: "accept", Content: json.RawMessage(`{}`)}, time.Now()); fault != nil {
			s.breaks("the answer was refused: %v", fault)
		}
		return
	}
	open := rec.Open()
	d := run.Decision{Do: "retry"}
	if len(open) > 0 {
		step := open[s.IntN(len(open))]
		choice := s.IntN(8)
		if resumed > 30 {
			choice = 7
		}
		switch {
		case choice < 3 || step.Type == "switch" || step.Type == "exit":
		case choice < 6 || s.stop == "":
			d.Step = step.Key
		default:
			d = run.Decision{Do: []string{"skip", "pin"}[s.IntN(2)], Step: step.Key, Pin: 7.0}
			s.given[step.Key], s.untouched = true, false
		}
	}
	for _, step := range open {
		about := d.Step == step.Key
		if d.Step == "" {
			state := s.calls[step.Key+"/call"]
			about = state == failed || rec.Fault.Code == run.OutcomeUnknown && run.CallOf(rec.Fault).Step == step.Key
		}
		if about && d.Do == "retry" {
			s.decided[step.Key] = true
		}
	}
	if fault := rec.Decide(d, time.Now()); fault != nil {
		if doubt := rec.InDoubt(); fault.Code == "which-step" && len(doubt) > 1 {
			d.Step = doubt[s.IntN(len(doubt))].Step
			s.decided[d.Step] = true
			fault = rec.Decide(d, time.Now())
		}
		if fault != nil {
			s.breaks("%+v: %v", d, fault)
		}
	}
}
