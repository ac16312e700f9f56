package app_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

const oneOfTheirs = `
nodes:
  - {id: entry, type: entry, next: theirs}
  - {id: theirs, type: custom, next: exit}
  - {id: exit, type: exit}
`

// withCustom returns the built-in kinds and the kind "custom" of a library's
// program, which has the given facts and ends with an error or nil.
func withCustom(t *testing.T, facts engine.Kind, outcome error) *engine.KindSet {
	t.Helper()
	facts.Spec = specs.Spec{NodeType: "custom"}
	facts.Fields = []engine.Field{{Name: "next", Type: "node-id", Edges: true, Required: true}}
	facts.Compile = func(p *engine.Pass, n *engine.Node) engine.Compiled {
		edges := p.Next(n)
		return engine.Compiled{Edges: edges, Step: func(context.Context, *engine.State) (engine.Outcome, error) {
			return engine.Outcome{Next: edges[0].To}, outcome
		}}
	}
	set, err := engine.Extend(facts)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// An agent cannot decide what a library's kind asks a person.
func TestOnlyAPersonAnswersALibrarysKind(t *testing.T) {
	pb := overWith(t, app.Options{Kinds: withCustom(t, engine.Kind{Asks: true}, errors.New("nobody is there"))}, nil)
	agent := request.WithActor(t.Context(), run.Actor{Principal: "agent"})
	r, fault := pb.Run(agent, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(oneOfTheirs)}})
	r = ran(t, r, fault, run.Failed)
	if _, fault := pb.ResumeRun(agent, execution.ResumeRunInput{RunID: r.RunID, Decision: "skip"}); fault == nil || fault.Code != "ask-a-person" {
		t.Errorf("skip by an agent: %v", fault)
	}
}

// A run that the process did not survive while a library's kind only waited is
// resumed.
func TestRecoverResumesALibrarysWait(t *testing.T) {
	w := newWrecks(t)
	waits := wreck("waits", "p", oneOfTheirs)
	waits.Resumed = []run.Resumption{{After: "crash"}, {After: "crash"}}
	waits.Steps = []*run.StepRecord{{Node: "theirs", Type: "custom", Key: "theirs#0", Started: time.Now()}}
	w.leave(waits)
	o := w.options()
	o.Kinds = withCustom(t, engine.Kind{Waits: true}, nil)
	recovered(t, overWith(t, o, nil), &heard{}, 1)
	if got := w.stands("waits"); got != "succeeded" {
		t.Errorf("the run is %s", got)
	}
}
