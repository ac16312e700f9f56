package walk_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
	"github.com/patchbay-mcp/patchbay/tools/exact/graphs"
)

// TestResumedRunsAreExact executes the graphs of the property test of resumption as
// workflows: they continue as new executions after few events, workers are lost during
// calls, and calls take longer than the time limits of their nodes. The result is that of a
// run in one process, in which the same steps are skipped and pinned; no call is made again
// whose result the run has, one that must not be repeated only by a decision, and none of a
// step that was skipped or pinned.
func TestResumedRunsAreExact(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for _, seed := range graphs.Seeds(seeds) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			random := graphs.New(seed, true)
			plan := planOf(t, random)
			for _, most := range []int{7, 40, 100_000} {
				for _, loses := range [][]string{nil, {"retry"}, {"skip", "pin", "retry"}} {
					c := &careful{t: t, loses: loses, slow: random.Timeouts, seed: seed, made: map[string]bool{}, done: map[string]bool{}, may: map[string]bool{}, given: map[string]string{}}
					rec := c.run(plan, most)
					if t.Failed() {
						t.Fatalf("events %d, loses %q, graphs:\n%s", most, loses, random.Texts)
					}
					if random.Timeouts {
						continue
					}
					if got, want := resultOf(rec), alone(t, plan, c.given); got != want {
						t.Fatalf("events %d, loses %q, given %q: the result is %s, want %s; graphs:\n%s", most, loses, c.given, got, want, random.Texts)
					}
				}
			}
		})
	}
}

// alone returns the result of a run in this process that nothing stops but questions, and
// the calls of the steps that are given: skipped or pinned.
func alone(t *testing.T, plan *engine.Plan, given map[string]string) (result string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var rec *run.Record
		attempt := func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if e := (echo{given, cancel}); rec == nil {
				rec = local.Run(ctx, plan, e, nil, local.Options{Options: run.Options{ID: "run_1"}})
			} else {
				rec = local.Resume(ctx, plan, e, rec, local.Options{})
			}
		}
		for attempt(); rec.Status == run.Interrupted; attempt() {
			asked, doubt := rec.Questions(), rec.InDoubt()
			if len(asked)+len(doubt) == 0 {
				t.Fatal(rec.Fault)
			}
			if len(asked) > 0 {
				if _, fault := rec.Reply(asked[0].Step, run.Answer{Action: "accept"}, time.Now()); fault != nil {
					t.Fatal(fault)
				}
			}
			for _, call := range doubt {
				if fault := rec.Decide(decision(cmp.Or(given[call.Step], "retry"), call.Step), time.Now()); fault != nil {
					t.Fatal(fault)
				}
			}
		}
		result = resultOf(rec)
	})
	return result
}

// decision is what is decided about a step.
func decision(do, step string) run.Decision {
	d := run.Decision{Do: do, Step: step}
	if do == "pin" {
		d.Pin = 7.0
	}
	return d
}

func resultOf(rec *run.Record) string {
	b, _ := expr.Encode(rec.Result)
	if rec.Fault != nil {
		return string(rec.Status) + " " + rec.Fault.Error()
	}
	return string(rec.Status) + " " + string(b)
}

// echo is a server whose tools return their arguments. The process of the run ends during
// the calls of the steps that are given.
type echo struct {
	given map[string]string
	end   context.CancelCauseFunc
}

func (e echo) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	if e.given[stepOf(call.Key)] == "" {
		return structured(call.Args), nil
	}
	<-time.After(time.Millisecond)
	e.end(&diag.Fault{Code: run.ShuttingDown, Message: "the process ends"})
	return nil, context.Cause(ctx)
}

// stepOf returns the step that makes a call.
func stepOf(call string) string { return strings.TrimSuffix(call, "/call") }

// careful sees that no call of a run is made that must not be.
type careful struct {
	t     *testing.T
	loses []string // workers are lost during some calls, about which these are the decisions
	slow  bool     // some calls take longer than the time limit of a node
	seed  uint64

	mu    sync.Mutex
	made  map[string]bool   // calls, by their keys
	done  map[string]bool   // of which the run has the result
	may   map[string]bool   // which somebody has decided to make again
	given map[string]string // steps that somebody has decided to skip or pin
}

// takes is how long a slow call takes: longer than the time limits of random graphs.
const takes = 20 * time.Millisecond

// An execution is one of the workflow of a run.
type execution struct {
	*careful

	keys    map[string]string // of calls, by the ids of their activities
	givenUp map[string]bool   // activities
}

// call is the activity of a call. The worker is lost at some calls the first time.
func (e *execution) call(ctx context.Context, r wire.CallRequest) (wire.CallReply, error) {
	chance := e.chance(r.Key)
	again, begins := e.begin(activity.GetInfo(ctx).ActivityID, &r)
	switch {
	case !begins:
		return wire.CallReply{}, errors.New("the call was cancelled before a worker had taken it")
	case e.loses != nil && !again && chance%2 == 0:
		return wire.CallReply{}, errors.New("the worker was lost")
	case e.slow && !again && chance%4 == 0:
		<-time.After(takes)
	}
	calls := walk.Calls{Caller: func(context.Context, *wire.CallRequest) run.Caller { return echo{nil, nil} }}
	return calls.Call(ctx, r)
}

// chance is a number of this test, by the key of a call.
func (c *careful) chance(key string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, key, c.seed)
	return h.Sum64()
}

// begin notes that a worker makes a call, unless the run has given it up.
func (e *execution) begin(id string, r *wire.CallRequest) (again, begins bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	again = e.made[r.Key]
	switch {
	case e.givenUp[id]:
		return again, false
	case e.done[r.Key]:
		e.t.Errorf("%s has completed and is called again", r.Key)
	case e.given[stepOf(r.Key)] != "":
		e.t.Errorf("%s is called after a decision to %s it", r.Key, e.given[stepOf(r.Key)])
	case again && !r.Repeatable && !e.may[r.Key]:
		e.t.Errorf("%s is called again without a decision", r.Key)
	}
	e.made[r.Key], e.may[r.Key], e.keys[id] = true, false, r.Key
	return again, true
}

// completed notes that the run has got what came of an activity. The environment of the SDK
// drops the result of one that the run has cancelled: then the run does not know it.
func (e *execution) completed(of *activity.Info, _ converter.EncodedValue, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		e.done[e.keys[of.ActivityID]] = true
	}
}

// cancelled notes that the run has given up an activity, which may not have begun.
func (e *execution) cancelled(of *activity.Info) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.givenUp[of.ActivityID] = true
}

// run executes a run until it ends, in as many executions of its workflow as it takes.
func (c *careful) run(plan *engine.Plan, most int) *run.Record {
	c.t.Helper()
	pinned, err := wire.Pin(c.t.Context(), plan, run.Limits{}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0).UTC()
	in := wire.NewInput(plan, pinned, nil, run.Options{ID: "run_1"}, at)
	for range 500 {
		e := newEnvironment(c.t, &walk.Options{MaxEvents: most})
		x := &execution{careful: c, keys: map[string]string{}, givenUp: map[string]bool{}}
		e.RegisterActivityWithOptions(x.call, activity.RegisterOptions{Name: wire.Call})
		e.SetOnActivityCompletedListener(x.completed)
		e.SetOnActivityCanceledListener(x.cancelled)
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
		call := again[0].Step + "/call"
		do := "retry"
		if c.loses != nil {
			do = c.loses[c.chance(call)/8%uint64(len(c.loses))]
		}
		if fault := rec.Decide(decision(do, again[0].Step), e.Now()); fault != nil {
			c.t.Error(fault)
		}
		c.mu.Lock()
		if do == "retry" {
			c.may[call] = true
		} else {
			c.given[again[0].Step] = do
		}
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
		if plan, found = engine.Compile(doc, random.Name, engine.Env{Tools: toolset{}, Graphs: lib}); plan == nil {
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
	if plan == nil {
		return nil, diag.Faultf(diag.CodeUnknownGraph, "unknown graph %q", name)
	}
	return &engine.Tool{Spec: plan.Spec(name, ""), Input: schema.New(plan.InputSchema()), Output: schema.New(plan.OutputSchema())}, nil
}

func (l library) Plan(_ context.Context, name string) (*engine.Plan, *diag.Fault) {
	return l[name], nil
}
