package walk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/exact/graphs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// TestResumedRunsAreExact executes the random graphs of the property test of resumption as
// workflows: they continue as new executions after few events, and workers are lost during
// calls. The result is that of a run in one process that nothing stops; no call is made
// twice that has completed, nor one that must not be repeated without a decision.
func TestResumedRunsAreExact(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			random := graphs.New(seed, true)
			plan := planOf(t, random)
			want := alone(t, plan)
			for _, most := range []int{7, 40, 100_000} {
				for _, loses := range []bool{false, true} {
					c := &careful{t: t, loses: loses, seed: seed, done: map[string]bool{}, lost: map[string]bool{}, may: map[string]bool{}}
					rec := c.run(plan, most)
					if t.Failed() {
						t.Fatalf("events %d, loses %t, graphs:\n%s", most, loses, random.Texts)
					}
					if got := resultOf(rec); !random.Timeouts && got != want {
						t.Fatalf("events %d, loses %t: the result is %s, want %s; graphs:\n%s", most, loses, got, want, random.Texts)
					}
				}
			}
		})
	}
}

// alone returns the result of a run in this process that nothing stops but questions.
func alone(t *testing.T, plan *engine.Plan) (result string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &careful{t: t, done: map[string]bool{}}
		rec := local.Run(t.Context(), plan, c, nil, local.Options{Options: run.Options{ID: "run_1"}})
		for rec.Fault != nil && rec.Fault.Code == run.NeedsAnswer {
			if _, fault := rec.Reply(rec.Questions()[0].Step, run.Answer{Action: "accept"}, time.Now()); fault != nil {
				t.Fatal(fault)
			}
			rec = local.Resume(t.Context(), plan, c, rec, local.Options{})
		}
		result = resultOf(rec)
	})
	return result
}

func resultOf(rec *run.Record) string {
	b, _ := expr.Encode(rec.Result)
	if rec.Fault != nil {
		return string(rec.Status) + " " + rec.Fault.Error()
	}
	return string(rec.Status) + " " + string(b)
}

// careful makes calls, and sees that none is made that must not be.
type careful struct {
	t     *testing.T
	loses bool // workers are lost during some calls
	seed  uint64

	mu   sync.Mutex
	done map[string]bool // calls that have completed, by their idempotency keys
	lost map[string]bool // calls during which a worker was lost
	may  map[string]bool // steps of which the calls may be made again
}

func (c *careful) CallTool(_ context.Context, call run.Call) (*run.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done[call.Idempotency] {
		c.t.Errorf("%s has completed and is called again", call.Key)
	}
	c.done[call.Idempotency] = true
	return structured(call.Args), nil
}

// call is the activity of a call, whose worker is lost at some calls the first time.
func (c *careful) call(ctx context.Context, r wire.CallRequest) (wire.CallReply, error) {
	c.mu.Lock()
	again := c.lost[r.Key]
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, r.Key, c.seed)
	loses := c.loses && !again && h.Sum64()%5 == 0
	if loses {
		c.lost[r.Key] = true
	}
	if again && !r.Repeatable && !c.may[r.Key] {
		c.t.Errorf("%s is called again without a decision", r.Key)
	}
	c.mu.Unlock()
	if loses {
		return wire.CallReply{}, errors.New("the worker was lost")
	}
	calls := walk.Calls{Caller: func(context.Context, *wire.CallRequest) run.Caller { return c }}
	return calls.Call(ctx, r)
}

// run executes a run until it ends, in as many executions of its workflow as it takes.
func (c *careful) run(plan *engine.Plan, most int) *run.Record {
	c.t.Helper()
	pinned, err := wire.Pin(c.t.Context(), plan, run.Limits{})
	if err != nil {
		c.t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0).UTC()
	in := wire.NewInput(plan, pinned, nil, run.Options{ID: "run_1"}, at)
	for range 500 {
		e := newEnvironment(c.t, &walk.Options{MaxEvents: most})
		e.RegisterActivityWithOptions(c.call, activity.RegisterOptions{Name: wire.Call})
		e.in = in
		e.SetStartTime(at) // the time of the executions before is over
		c.attend(e, 100)
		rec, next := e.once()
		at = e.Now()
		if next == nil {
			return rec
		}
		in = *next
	}
	c.t.Fatal("the run does not end")
	return nil
}

// attend looks at the run every hour of its time, and does what it waits for.
func (c *careful) attend(e *trial, times int) {
	if times == 0 || e.IsWorkflowCompleted() {
		return
	}
	e.RegisterDelayedCallback(func() {
		defer c.attend(e, times-1)
		if e.IsWorkflowCompleted() {
			return
		}
		rec := e.query()
		if rec.Status != run.Interrupted {
			return
		}
		id := strconv.Itoa(times)
		if asked := rec.Questions(); len(asked) > 0 {
			e.update(wire.UpdateAnswer, id, wire.Answer{Key: asked[0].Key, Answer: json.RawMessage(`{"action":"accept"}`)}, "")
			return
		}
		again := rec.InDoubt()
		if len(again) == 0 {
			c.t.Errorf("the run is interrupted: %v", rec.Fault)
			return
		}
		if fault := rec.Decide(run.Decision{Do: "retry", Step: again[0].Step}, e.Now()); fault != nil {
			c.t.Error(fault)
		}
		c.mu.Lock()
		c.may[again[0].Step+"/call"] = true
		c.mu.Unlock()
		resumed := e.in
		resumed.Record = wire.Record{Record: *rec}
		e.update(wire.UpdateResume, id, resumed, "")
	}, time.Hour)
}

// planOf compiles a random graph.
func planOf(t *testing.T, random graphs.Random) (plan *engine.Plan) {
	t.Helper()
	lib := library{}
	for i, text := range random.Texts {
		doc, _ := graph.Parse("g.yaml", text)
		var found diag.List
		if plan, found = engine.Compile(doc, "", engine.Env{Tools: toolset{}, Graphs: lib}); plan == nil {
			t.Fatal(found[0].Message)
		}
		lib[fmt.Sprintf("g%d", i)] = plan
	}
	return plan
}

// toolset is the server of random graphs.
type toolset struct{}

func (toolset) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	repeat := tool == "read"
	return &engine.Tool{Spec: &specs.Spec{NodeType: specs.MCP, Subtype: server + "/" + tool, Annotations: &specs.Annotations{Trusted: true, Idempotent: &repeat}}}, nil
}
func (toolset) Names() []string                                  { return nil }
func (toolset) Resolve(string) (server, tool string, known bool) { return "", "", false }

// library are the saved graphs of random graphs.
type library map[string]*engine.Plan

func (l library) Names() []string { return nil }

func (l library) Graph(name string) (*engine.Tool, *diag.Fault) {
	plan := l[name]
	return &engine.Tool{Spec: plan.Spec(name, ""), Input: schema.New(plan.InputSchema()), Output: schema.New(plan.OutputSchema())}, nil
}

func (l library) Plan(_ context.Context, name string) (*engine.Plan, *diag.Fault) {
	return l[name], nil
}
