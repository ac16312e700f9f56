package states

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/run"
)

// A trial is the workflow of a state in the test environment of the SDK.
type trial struct {
	*testsuite.TestWorkflowEnvironment

	t    *testing.T
	next int
	at   time.Time
}

// newTrial runs f while the workflow executes, and returns with what it continues.
func newTrial(t *testing.T, s state, f func(e *trial)) state {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	e := &trial{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t, at: time.Unix(1_800_000_000, 0).UTC()}
	Register(e)
	e.RegisterDelayedCallback(func() { f(e) }, time.Second)
	e.SetTestTimeout(time.Minute)
	e.ExecuteWorkflow(workflowType, s)
	again, ok := errors.AsType[*workflow.ContinueAsNewError](e.GetWorkflowError())
	if !ok {
		t.Fatalf("the workflow ends: %v", e.GetWorkflowError())
	}
	var next state
	if err := converter.GetDefaultDataConverter().FromPayload(again.Input.Payloads[0], &next); err != nil {
		t.Fatal(err)
	}
	return next
}

// send sends a request, and calls f with the reply.
func (e *trial) send(q request, f func(reply)) {
	e.next++
	if q.At.IsZero() {
		q.At = e.at
	}
	e.UpdateWorkflow(updateChange, fmt.Sprint("update", e.next), &outcome{e.t, f}, q)
}

// fill makes changes until the workflow continues as a new execution.
func (e *trial) fill() {
	for i := range maxChanges {
		e.send(request{ID: fmt.Sprint("fill", i), Change: run.StateChange{Do: run.StateSet, Key: "fill", Value: json.RawMessage("1")}}, func(reply) {})
	}
}

type outcome struct {
	t *testing.T
	f func(reply)
}

func (o *outcome) Accept()          {}
func (o *outcome) Reject(err error) { o.t.Error(err) }

func (o *outcome) Complete(v any, err error) {
	if err != nil {
		o.t.Error(err)
		return
	}
	o.f(v.(reply))
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

func add(id, members string) request {
	return request{ID: id, Change: run.StateChange{Do: run.StateAdd, Key: "ids", Value: json.RawMessage(members)}}
}

// A request that comes again, as of an activity that is repeated, changes nothing and has the
// result of the first, also after the workflow has continued as a new execution.
func TestARepeatedChangeIsMadeOnce(t *testing.T) {
	const first = `{"added":["a"],"known":[],"count":1}`
	want := func(t *testing.T, what, result string) func(reply) {
		return func(r reply) {
			if string(r.Result) != result || r.Fault.Diag() != nil {
				t.Errorf("%s: %s, %v; want %s", what, r.Result, r.Fault.Diag(), result)
			}
		}
	}
	next := newTrial(t, state{Most: MaxBytes}, func(e *trial) {
		e.send(add("1", `["a"]`), want(t, "the first", first))
		e.send(add("1", `["a"]`), want(t, "the same", first))
		e.send(add("2", `["a"]`), want(t, "another", `{"added":[],"known":["a"],"count":1}`))
		e.fill()
	})
	newTrial(t, next, func(e *trial) {
		e.send(add("1", `["a"]`), want(t, "the same later", first))
		e.fill()
	})
}

// Of changes that are too long ago to be remembered, a repeated one is refused, and a first
// one is made.
func TestForgottenChanges(t *testing.T) {
	s := state{Keys: nil, Most: MaxBytes, Forgot: time.Unix(1_900_000_000, 0)}
	newTrial(t, s, func(e *trial) {
		q := add("1", `["a"]`)
		q.Again = true
		e.send(q, func(r reply) {
			if f := r.Fault.Diag(); f == nil || f.Code != "state-unknown" {
				t.Errorf("%s, %v", r.Result, f)
			}
		})
		q.Again = false
		e.send(q, func(r reply) {
			if r.Fault.Diag() != nil || !strings.Contains(string(r.Result), `"added":["a"]`) {
				t.Errorf("%s, %v", r.Result, r.Fault.Diag())
			}
		})
		e.fill()
	})
	old := state{Most: MaxBytes}
	for i := range maxMade + 10 {
		old.Made = append(old.Made, made{ID: strconv.Itoa(i), At: time.Unix(int64(i), 0)})
		old.forget()
	}
	if len(old.Made) != maxMade || old.Made[0].ID != "10" || old.Forgot.Unix() != 9 {
		t.Errorf("%d are remembered, the first %s; forgotten until %s", len(old.Made), old.Made[0].ID, old.Forgot)
	}
	old.Made = append(old.Made, made{ID: "large", Result: json.RawMessage(strings.Repeat("1", 2*maxMadeSize))})
	if old.forget(); len(old.Made) != 1 || old.Made[0].ID != "large" {
		t.Errorf("%d are remembered", len(old.Made))
	}
}

// The state of a graph is bounded, lists its keys, and forgets what has expired or is deleted.
func TestStateIsBoundedAndListed(t *testing.T) {
	set := func(id, key string, size int, ttl time.Duration) request {
		return request{ID: id, Change: run.StateChange{Do: run.StateSet, Key: key, Value: json.RawMessage(`"` + strings.Repeat("x", size) + `"`), TTL: ttl}}
	}
	newTrial(t, state{Project: "shop", Graph: "g", Most: 5000}, func(e *trial) {
		fault := func(code string) func(reply) {
			return func(r reply) {
				if f := r.Fault.Diag(); (f == nil) != (code == "") || f != nil && f.Code != code {
					t.Errorf("%v, want %q", f, code)
				}
			}
		}
		e.send(set("1", "a", 3000, time.Minute), fault(""))
		e.send(set("2", "b", 3000, 0), fault("state-full"))
		later := set("3", "b", 3000, 0)
		later.At = e.at.Add(time.Hour)
		e.send(later, fault(""))
		e.RegisterDelayedCallback(func() { e.listed(); e.fill() }, time.Second)
	})
}

// listed expects the key b, and deletes it.
func (e *trial) listed() {
	var list []run.StateEntry
	v, err := e.QueryWorkflow(queryList)
	if err == nil {
		err = v.Get(&list)
	}
	if err != nil || len(list) != 1 || list[0].Key != "b" || list[0].Project != "shop" || list[0].Graph != "g" {
		e.t.Errorf("%v, %v", list, err)
	}
	e.UpdateWorkflow(updateDelete, "delete", &deleted{e.t}, "")
}

type deleted struct{ t *testing.T }

func (*deleted) Accept()      {}
func (*deleted) Reject(error) {}

func (d *deleted) Complete(v any, err error) {
	if n, _ := v.(int); err != nil || n != 1 {
		d.t.Errorf("%v are deleted: %v", v, err)
	}
}

// Of those who claim the same occurrence of a schedule, one gets it.
func TestAScheduleIsClaimedOnce(t *testing.T) {
	at := time.Unix(1_800_000_000, 0).UTC()
	first, second := scheduleMark(at, "run_1"), scheduleMark(at, "run_2")
	newTrial(t, state{Project: "shop"}, func(e *trial) {
		for i, c := range []struct {
			claim
			ours bool
		}{
			{claim{"daily", nil, first}, true},
			{claim{"daily", nil, second}, false},
			{claim{"daily", &second, first}, false},
			{claim{"daily", &first, second}, true},
			{claim{"weekly", nil, first}, true},
		} {
			e.UpdateWorkflow(updateMark, fmt.Sprint("claim", i), &claimed{t, c.claim, c.ours}, c.claim)
		}
		e.RegisterDelayedCallback(func() {
			var marks map[string]run.ScheduleMark
			v, err := e.QueryWorkflow(queryMarks)
			if err == nil {
				err = v.Get(&marks)
			}
			if err != nil || len(marks) != 2 || marks["daily"].Run != "run_2" {
				t.Errorf("%v, %v", marks, err)
			}
			e.fill()
		}, time.Second)
	})
}

func scheduleMark(at time.Time, id string) run.ScheduleMark {
	return run.ScheduleMark{At: at, Definition: "0 6 * * *", Run: id}
}

type claimed struct {
	t    *testing.T
	of   claim
	ours bool
}

func (*claimed) Accept()      {}
func (*claimed) Reject(error) {}

func (c *claimed) Complete(v any, err error) {
	if ours, _ := v.(bool); err != nil || ours != c.ours {
		c.t.Errorf("%+v: %v, %v", c.of, v, err)
	}
}

func TestIDs(t *testing.T) {
	for _, of := range [][2]string{{"shop", "daily"}, {"a/b", "c d/é"}, {"", "g"}} {
		if p, g, ok := named(idOf(of[0], of[1])); !ok || p != of[0] || g != of[1] {
			t.Errorf("%q of %q", []string{p, g}, of)
		}
	}
}
