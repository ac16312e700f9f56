package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

var operator = run.Actor{Operator: true}

// succeeds ends every run when it starts.
func succeeds(e *execution, message string, _ any) error {
	if message == "" {
		e.end(run.Succeeded)
	}
	return nil
}

// goes on until it is told otherwise.
func executes(*execution, string, any) error { return nil }

func TestStart(t *testing.T) {
	r, s := over(t, succeeds)
	rec, fault := r.Start(t.Context(), plan(t), json.RawMessage(`{"n":1}`), runs.StartOptions{Principal: "ann", Mode: run.DryRun})
	if fault != nil || rec.Status != run.Succeeded || rec.Graph != "hello" || rec.Principal != "ann" || rec.Project != "shop" || string(rec.Arguments) != `{"n":1}` || rec.Mode != run.DryRun {
		t.Fatalf("%+v, %v", rec, fault)
	}
	e := s.workflows[rec.ID]
	if e.options.TaskQueue != "queue" || e.input.Queue != "queue" || !e.input.Indexed || e.input.MaxHeld != runs.DefaultMaxHeld || e.options.TypedSearchAttributes.Size() != 4 {
		t.Errorf("%+v, %+v", e.options, e.input)
	}
	again, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Options: run.Options{ID: rec.ID}})
	if fault != nil || again.ID != rec.ID || e.starts != 1 {
		t.Errorf("a run that is there is started again: %v, %d", fault, e.starts)
	}
}

// A client that does not wait gets a running run, and finds it again.
func TestBackground(t *testing.T) {
	r, s := over(t, executes)
	rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Principal: "ann", Client: runs.Client{Background: true}})
	if fault != nil || rec.Status != run.Running {
		t.Fatalf("%+v, %v", rec, fault)
	}
	if late, fault := r.Follow(t.Context(), run.Actor{Principal: "ann"}, rec.ID, runs.Client{Wait: time.Millisecond}); fault != nil || late.Status != run.Running {
		t.Errorf("%+v, %v", late, fault)
	}
	if _, fault := r.Load(run.Actor{Principal: "bob"}, rec.ID); fault == nil || fault.Code != "unknown-run" {
		t.Errorf("bob sees it: %v", fault)
	}
	s.workflows[rec.ID].end(run.Failed)
	if now, fault := r.Follow(t.Context(), run.Actor{Principal: "ann"}, rec.ID, runs.Client{}); fault != nil || now.Status != run.Failed {
		t.Errorf("%+v, %v", now, fault)
	}
	list, fault := r.List(run.Filter{Actor: run.Actor{Principal: "ann"}, Project: "shop"})
	if fault != nil || len(list) != 1 || list[0].ID != rec.ID || list[0].Status != run.Failed || list[0].Graph != "hello" {
		t.Errorf("%+v, %v", list, fault)
	}
	if list, _ := r.List(run.Filter{Actor: run.Actor{Principal: "bob"}}); len(list) > 0 {
		t.Errorf("bob sees %+v", list)
	}
	if q := s.listed[0]; !strings.Contains(q, "PatchbayProject = 'shop'") || !strings.Contains(q, "WorkflowType = 'patchbay.run'") {
		t.Error(q)
	}
}

// The end of the context of who waits ends the run, with the cause as its fault.
func TestCallersEndTheirRuns(t *testing.T) {
	started := make(chan string, 1)
	r, _ := over(t, func(e *execution, message string, arg any) error {
		switch message {
		case "":
			started <- e.record.ID
		case wire.SignalCancel:
			e.end(run.Cancelled)
			e.record.Fault = arg.(*wire.Fault).Diag()
		}
		return nil
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-started
		cancel(diag.Faultf("cancelled", "by a test"))
	}()
	rec, fault := r.Start(ctx, plan(t), nil, runs.StartOptions{})
	if fault != nil || rec.Status != run.Cancelled || rec.Fault.Message != "by a test" {
		t.Errorf("%+v, %v", rec, fault)
	}
	if status, fault := r.Cancel(t.Context(), operator, rec.ID, diag.Faultf("cancelled", "again")); status != run.Cancelled || fault != nil {
		t.Errorf("%s, %v", status, fault)
	}
}

// A run that waits for a person is parked in its workflow, and goes on there.
func TestAnswerOfAParkedRun(t *testing.T) {
	r, s := over(t, func(e *execution, message string, arg any) error {
		switch message {
		case "":
			e.park(run.NeedsAnswer)
		case wire.UpdateResume:
			in := arg.(wire.Input)
			if !in.Resume || in.Queue != "queue" {
				t.Errorf("resumed with %+v", in)
			}
			e.record.Status, e.later = run.Running, func() { e.end(run.Succeeded) } // the memo is late
		}
		return nil
	})
	rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{})
	if fault != nil || rec.Status != run.Interrupted {
		t.Fatalf("%+v, %v", rec, fault)
	}
	rec, fault = r.Resume(t.Context(), plan(t), rec, runs.Client{})
	if fault != nil || rec.Status != run.Succeeded || s.workflows[rec.ID].starts != 1 {
		t.Errorf("%+v, %v", rec, fault)
	}
}

// A run that has ended is resumed by another workflow with its id.
func TestResumeOfAnEndedRun(t *testing.T) {
	r, s := over(t, func(e *execution, message string, _ any) error {
		if message == "" && e.starts == 1 {
			e.end(run.Failed)
			e.record.Fault = diag.Faultf("tool-failed", "no")
		} else if message == "" {
			if !e.input.Resume || e.input.Record.Fault != nil || e.input.Record.Status != run.Running {
				t.Errorf("started with %+v", e.input)
			}
			e.end(run.Succeeded)
		}
		return nil
	})
	rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{})
	if fault != nil || rec.Status != run.Failed {
		t.Fatalf("%+v, %v", rec, fault)
	}
	rec, fault = r.Resume(t.Context(), plan(t), rec, runs.Client{})
	if fault != nil || rec.Status != run.Succeeded || s.workflows[rec.ID].starts != 2 {
		t.Errorf("%+v, %v", rec, fault)
	}
}

// What a workflow refuses is the fault that it says.
func TestReply(t *testing.T) {
	r, _ := over(t, func(_ *execution, message string, arg any) error {
		if message == wire.UpdateAnswer && arg.(wire.Answer).Key != "ask#0" {
			return wire.Refusal(wire.FaultOf(diag.Faultf("not-asked", "no")))
		}
		return nil
	})
	rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Client: runs.Client{Background: true}})
	if fault != nil {
		t.Fatal(fault)
	}
	if fault := r.Reply(operator, rec.ID, "ask#0", json.RawMessage(`{"action":"accept"}`)); fault != nil {
		t.Error(fault)
	}
	if fault := r.Reply(operator, rec.ID, "other#0", nil); fault == nil || fault.Code != "not-asked" || fault.Message != "no" {
		t.Errorf("%+v", fault)
	}
}

// What is wrong with the service, the workers or a history is said as it is.
func TestTrouble(t *testing.T) {
	for _, test := range []struct {
		name          string
		trouble       func(*service, *execution)
		fault, status string
	}{
		{"no server", func(s *service, _ *execution) { s.err = serviceerror.NewUnavailable("connection refused") }, "runtime-unreachable", ""},
		{"no namespace", func(s *service, _ *execution) { s.err = serviceerror.NewNamespaceNotFound("shop") }, "runtime-unreachable", ""},
		{"no rights", func(s *service, _ *execution) { s.err = serviceerror.NewPermissionDenied("no", "") }, "runtime-unreachable", ""},
		{"no worker", func(_ *service, e *execution) { e.queries = errors.New("no poller") }, "no-worker", ""},
		{"a worker that was killed", func(_ *service, e *execution) {
			e.queries, e.status.Waiting = serviceerror.NewCanceled("RST_STREAM"), []string{"it was asked again"}
		}, "", "running needs-server"},
		{"a missing server", func(_ *service, e *execution) { e.status.Waiting = []string{"no worker has the server crm"} }, "", "running needs-server"},
		{"ended from outside", func(_ *service, e *execution) { e.state = enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED }, "", "cancelled cancelled"},
		{"a poisoned history", func(_ *service, e *execution) {
			e.state, e.queries = enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, errors.New("nondeterministic")
		}, "", "failed workflow-failed"},
	} {
		r, s := over(t, executes)
		rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Client: runs.Client{Background: true}})
		if fault != nil {
			t.Fatal(fault)
		}
		test.trouble(s, s.workflows[rec.ID])
		rec, fault = r.Load(operator, rec.ID)
		if test.fault != "" {
			if fault == nil || fault.Code != test.fault || fault.Hint == "" {
				t.Errorf("%s: %+v", test.name, fault)
			}
			continue
		}
		if fault != nil || string(rec.Status)+" "+rec.Fault.Code != test.status {
			t.Errorf("%s: %+v, %+v", test.name, rec, fault)
		}
	}
}

func TestExamine(t *testing.T) {
	r, s := over(t, executes)
	if _, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Client: runs.Client{Background: true}}); fault != nil {
		t.Fatal(fault)
	}
	said := func() string {
		var text strings.Builder
		for _, f := range r.Examine(t.Context()) {
			fmt.Fprintf(&text, "%s: %s\n", map[bool]string{true: "ok", false: "FAIL"}[f.OK], f.What)
			if !f.OK && f.Hint == "" {
				t.Errorf("%s says nothing of what to do", f.What)
			}
		}
		return text.String()
	}
	want := "ok: Temporal at 127.0.0.1:1, namespace shop\nFAIL: no worker of the task queue queue\nFAIL: no worker of the task queue queue-calls\nok: 1 run in progress: hello (1)\n"
	if got := said(); got != want {
		t.Error(got)
	}
	s.pollers = 2
	if got := said(); !strings.Contains(got, "ok: task queue queue-calls: 2 workers\n") {
		t.Error(got)
	}
	s.err = serviceerror.NewUnavailable("connection refused")
	if got := said(); got != "FAIL: Temporal at 127.0.0.1:1 does not answer: connection refused\n" {
		t.Error(got)
	}
}
