package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// Replay runs a plan again with what a record says came from outside: the
// results of tools, waits and people. Everything else is computed anew, at the
// recorded times. Nothing outside is touched. It returns the record of the new
// run; what the recording has no result for fails with the code not-recorded.
func Replay(ctx context.Context, plan *engine.Plan, rec *run.Record) *run.Record {
	return replay(ctx, plan, rec, newMemory(rec))
}

// Live says what a replay calls again.
type Live struct {
	run.Caller
	// Tools reports whether the calls of a tool are made again. Nil: none are.
	Tools func(server, tool string) bool
	// MaxReply is that of [Options]. Nil: no model is asked again.
	MaxReply func(model string) int
}

// ReplayLive is Replay that makes some calls again: to see what another version of a server
// or a model answers. The other calls have the results that are recorded, whatever their
// arguments are by now.
func ReplayLive(ctx context.Context, plan *engine.Plan, rec *run.Record, live Live) *run.Record {
	past := newMemory(rec)
	past.live = live
	return replay(ctx, plan, rec, past)
}

func replay(ctx context.Context, plan *engine.Plan, rec *run.Record, past *memory) *run.Record {
	past.replay, past.holds = true, map[string]bool{}
	for key := range past.steps {
		for _, of := range run.Enclosing(key) {
			past.holds[of] = true
		}
	}
	o := Options{Options: rec.Options, MaxReply: past.live.MaxReply}
	o.ID = rec.ID
	return execute(ctx, plan, past.live.Caller, o, &run.Record{
		ID: rec.ID, Graph: plan.Name, Principal: rec.Principal, Source: plan.Source(), Options: rec.Options, Arguments: rec.Arguments, Started: time.Now(),
	}, past)
}

var CodeNotRecorded = diag.DefineFault("not-recorded", diag.EndsRun, "a replay reached a call, wait or question that the record does not have", "the graph has changed: save a new test")

func notRecorded(step string) *diag.Fault {
	return diag.Faultf(CodeNotRecorded, "the recording has no result of %s", step).
		WithHint("the graph takes a different path or makes more calls than the recording; run it again to record them")
}

// recorded is the result of a call that a step is recorded with.
func (m *memory) recorded(step string) (*run.Result, error) {
	i, ok := m.steps[step]
	if !ok || m.live.Tools == nil || m.done[i].Ended == 0 || m.done[i].Fault != nil {
		return nil, notRecorded(step)
	}
	if m.done[i].Output == nil {
		return &run.Result{}, nil
	}
	text, err := expr.Encode(m.done[i].Output)
	if err != nil {
		return nil, err
	}
	item, err := json.Marshal(map[string]string{"type": "text", "text": string(text)})
	return &run.Result{Content: []json.RawMessage{item}}, err
}

// A Difference is where a replay departs from its recording.
type Difference struct {
	Step     string `json:"step"` // its key, or "result"
	What     string `json:"what"`
	Recorded string `json:"recorded,omitempty"`
	Replayed string `json:"replayed,omitempty"`
}

// What a [Difference] says.
const (
	MissingStep = "did not happen"
	ExtraStep   = "is an extra step"
	OtherOutput = "has a different output"
	OtherResult = "is different"
	OtherInput  = "is called with other arguments"
)

// maxShown is how much of a value a difference shows, in characters of JSON.
const maxShown = 500

// Compare lists where a replay departs from its recording, in the order of the
// recording: steps with another output, missing steps and extra ones. How a run
// stopped that did not end is not compared.
func Compare(recorded, replayed *run.Record) []Difference {
	var list []Difference
	now := map[string]*run.StepRecord{}
	for i := range replayed.Steps {
		now[replayed.Steps[i].Key] = replayed.Steps[i]
	}
	taken := map[string]bool{} // steps whose parts were not executed again
	for i := range recorded.Steps {
		taken[recorded.Steps[i].Key] = asWhole(recorded.Steps[i])
	}
	inside := func(of string) bool { return taken[of] }
	whole := recorded.Status == run.Succeeded || recorded.Status == run.Failed
	for i := range recorded.Steps {
		then := recorded.Steps[i]
		is := now[then.Key]
		delete(now, then.Key)
		if then.Ended == 0 || then.Fault != nil && then.Fault.Code == diag.CodeCancelled {
			continue
		}
		switch {
		case then.Lost, slices.ContainsFunc(run.Enclosing(then.Key), inside):
		case is == nil || is.Ended == 0:
			list = append(list, Difference{Step: then.Key, What: MissingStep, Recorded: came(then)})
		case came(then) != came(is):
			list = append(list, Difference{Step: then.Key, What: OtherOutput, Recorded: diag.Cut(came(then), maxShown), Replayed: diag.Cut(came(is), maxShown)})
		}
	}
	for i := range replayed.Steps {
		if step := replayed.Steps[i]; now[step.Key] != nil && step.Ended > 0 && whole && !slices.ContainsFunc(run.Enclosing(step.Key), inside) {
			list = append(list, Difference{Step: step.Key, What: ExtraStep, Replayed: diag.Cut(came(step), maxShown)})
		}
	}
	if was, is := result(recorded), result(replayed); whole && was != is {
		list = append(list, Difference{Step: "result", What: OtherResult, Recorded: diag.Cut(was, maxShown), Replayed: diag.Cut(is, maxShown)})
	}
	return list
}

// callsTool reports whether steps of a built-in type call a tool.
func callsTool(nodeType string) bool { return (*engine.KindSet)(nil).CallsTool(nodeType) }

// CompareCalls lists the calls of tools that a replay makes with other arguments than its
// recording, as far as those are recorded.
func CompareCalls(recorded, replayed *run.Record) (list []Difference) {
	then := map[string]expr.Value{}
	for _, step := range recorded.Steps {
		if callsTool(step.Type) && step.Input != nil {
			then[step.Key] = step.Input
		}
	}
	for _, step := range replayed.Steps {
		if was, is := encoded(then[step.Key]), encoded(step.Input); then[step.Key] != nil && step.Input != nil && was != is {
			list = append(list, Difference{Step: step.Key, What: OtherInput, Recorded: diag.Cut(was, maxShown), Replayed: diag.Cut(is, maxShown)})
		}
	}
	return list
}

// came is the outcome of a step, as text to compare.
func came(s *run.StepRecord) string {
	if s.Fault != nil && !s.Caught {
		return "failed: " + s.Fault.Code
	}
	return encoded(s.Output)
}

func result(r *run.Record) string {
	if r.Fault != nil {
		return fmt.Sprintf("%s: %s", r.Status, r.Fault.Code)
	}
	return encoded(r.Result)
}

func encoded(v expr.Value) string {
	if v == nil {
		return "nothing"
	}
	b, err := expr.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
