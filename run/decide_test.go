package run_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// stoppedRun is the record of a run of four nodes: list is done, charge was calling a tool when
// the process ended, and mail failed. total was computed from list.
func stoppedRun() *run.Record {
	return &run.Record{
		ID: "run_1", Graph: "invoice", Status: run.Interrupted, Started: noon,
		Fault: &diag.Fault{Code: run.OutcomeUnknown, Message: "the call may have taken effect", Details: run.Called{Step: "charge#0", Server: "bank", Tool: "charge"}},
		Steps: []*run.StepRecord{
			{Index: 0, Node: "list", Type: "mcp", Key: "list#0", Started: noon, Output: []any{"a", "b"}, Call: "bank/list", Size: 9, Ended: 1},
			{Index: 1, Node: "total", Type: "transform", Key: "total#0", Pure: true, Started: noon, Output: 2.0, Ended: 2},
			{Index: 2, Node: "charge", Type: "mcp", Key: "charge#0", Started: noon},
			{Index: 3, Node: "mail", Type: "mcp", Key: "mail#0", Started: noon, Fault: &diag.Fault{Code: "tool-failed", Message: "no such address"}, Ended: 3},
		},
		Intents: []run.Intent{
			{Key: "charge#0", Step: "charge#0", Kind: run.IntentCall, Detail: json.RawMessage(`{"server":"bank","tool":"charge","arguments":{"sum":2},"call":"c1"}`)},
			{Key: "mail#0", Step: "mail#0", Kind: run.IntentCall, Outcome: json.RawMessage(`"refused"`)},
		},
	}
}

func keys(steps []*run.StepRecord) (keys []string) {
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}

func TestWhatIsOpenAndInDoubt(t *testing.T) {
	rec := stoppedRun()
	if got := keys(rec.Open()); !slices.Equal(got, []string{"charge#0", "mail#0"}) {
		t.Errorf("open are %q", got)
	}
	calls := rec.InDoubt()
	if len(calls) != 1 || calls[0].Step != "charge#0" || calls[0].Tool != "charge" || string(calls[0].Arguments) != `{"sum":2}` {
		t.Errorf("in doubt are %+v", calls)
	}
	if about := run.CallOf(rec.Fault); about.Tool != "charge" {
		t.Errorf("the fault is about %+v", about)
	}
	if !run.Parked(rec.Fault) || run.Parked(rec.Steps[3].Fault) || run.Parked(nil) {
		t.Error("a call in doubt parks a run, a failure does not")
	}
}

// Each decision, and the open steps after it; "!" begins the code of a refusal.
func TestDecisions(t *testing.T) {
	for _, test := range []struct {
		decision run.Decision
		want     string
	}{
		{run.Decision{Do: "retry"}, "charge#0 mail#0"}, // mail is tried again, charge still asks
		{run.Decision{Do: "retry", Step: "charge#0"}, "charge#0 mail#0"},
		{run.Decision{Do: "skip", Step: "charge"}, "mail#0"},
		{run.Decision{Do: "pin", Step: "mail#0", Pin: "sent"}, "charge#0"},
		{run.Decision{Do: "skip"}, "!which-step"},
		{run.Decision{Do: "skip", Step: "chrage"}, "!unknown-node"},
	} {
		rec := stoppedRun()
		fault := rec.Decide(test.decision, noon.Add(time.Hour))
		got := strings.Join(keys(rec.Open()), " ")
		if fault != nil {
			got = "!" + fault.Code
		}
		if got != test.want {
			t.Errorf("%+v leaves %s (%v), want %s", test.decision, got, fault, test.want)
		}
		if fault == nil && (len(rec.Resumed) != 1 || rec.Resumed[0].After != run.OutcomeUnknown || rec.Resumed[0].Decision != test.decision.Do) {
			t.Errorf("%+v is recorded as %+v", test.decision, rec.Resumed)
		}
	}
}

func TestAGivenOutputIsMarked(t *testing.T) {
	rec := stoppedRun()
	if fault := rec.Decide(run.Decision{Do: "pin", Step: "mail#0", Pin: "sent"}, noon); fault != nil {
		t.Fatal(fault)
	}
	mail := rec.Steps[3]
	if !mail.Given() || !mail.Done() || mail.Output != "sent" || mail.Ended != 3 || mail.Follows() {
		t.Errorf("the step is %+v", mail)
	}
	if rec.Decide(run.Decision{Do: "skip", Step: "charge#0"}, noon) != nil || rec.Steps[2].Output != nil || !rec.Steps[2].Given() || len(rec.Intents) != 0 {
		t.Errorf("the skipped step is %+v, intents %+v", rec.Steps[2], rec.Intents)
	}
	if f := rec.Decide(run.Decision{Do: "skip"}, noon); f == nil || f.Code != "not-resumable" {
		t.Errorf("a run without an open step gives %v", f)
	}
	if f := rec.Decide(run.Decision{Do: "retry"}, noon); f != nil {
		t.Errorf("a retry continues any run, got %v", f)
	}
}

// A call in doubt is not made again by a retry that does not name it.
func TestARetryDoesNotRepeatACallInDoubt(t *testing.T) {
	rec := stoppedRun()
	rec.Steps = rec.Steps[:3]
	if f := rec.Decide(run.Decision{Do: "retry"}, noon); f == nil || f.Code != "which-step" || !strings.Contains(f.Hint, "charge#0") {
		t.Errorf("got %v", f)
	}
	rec.Steps = append(rec.Steps, &run.StepRecord{Index: 3, Node: "charge", Key: "charge#1"})
	rec.Intents = append(rec.Intents, run.Intent{Key: "charge#1", Step: "charge#1", Kind: run.IntentCall})
	if f := rec.Decide(run.Decision{Do: "retry"}, noon); f == nil || !strings.Contains(f.Hint, "charge#1") {
		t.Errorf("of two, got %v", f)
	}
}

// A run that would make another call than the recorded one is open at a step that is done, and
// what follows from it is computed again.
func TestDecisionAfterDivergence(t *testing.T) {
	details, err := expr.Decode([]byte(`{"step":"list#0","server":"bank","tool":"list"}`))
	if err != nil {
		t.Fatal(err)
	}
	rec := stoppedRun()
	rec.Steps, rec.Intents = rec.Steps[:2], nil
	rec.Fault = &diag.Fault{Code: run.Diverged, Details: details} // as a journal has it
	if got := keys(rec.Open()); !slices.Equal(got, []string{"list#0"}) {
		t.Errorf("open are %q", got)
	}
	if f := rec.Decide(run.Decision{Do: "pin", Step: "list#0", Pin: []any{"c"}}, noon); f != nil {
		t.Fatal(f)
	}
	if rec.Steps[1].Done() || !rec.Steps[0].Done() {
		t.Errorf("the steps are %+v, %+v", rec.Steps[0], rec.Steps[1])
	}
}

// Steps of an attempt that was followed by another are neither open nor counted.
func TestAttemptsThatWereFollowed(t *testing.T) {
	rec := &run.Record{
		Status: run.Failed,
		Steps: []*run.StepRecord{
			{Index: 0, Node: "call", Key: "call#0", Frame: true},
			{Index: 1, Node: "a", Key: "call#0/a#0", Part: true},
			{Index: 2, Node: "a", Key: "call#0/#2/a#0", Part: true, Fault: &diag.Fault{Code: "x"}, Ended: 1},
		},
		Intents: []run.Intent{{Key: "call#0" + run.RetryKey + "1", Step: "call#0", Kind: run.IntentSleep}},
	}
	if got := keys(rec.Open()); !slices.Equal(got, []string{"call#0/#2/a#0"}) {
		t.Errorf("open are %q", got)
	}
	failed := rec.FailedAttempts()
	if failed["call#0"] != 1 || !run.Superseded("call#0/a#0", failed) || run.Superseded("call#0/#2/a#0", failed) {
		t.Errorf("failed attempts are %v", failed)
	}
}

// A step that time ended is not the one that a decision is about.
func TestStepsThatTimeEnded(t *testing.T) {
	rec := stoppedRun()
	rec.Steps[2].Fault = &diag.Fault{Code: "cancelled"}
	if !rec.Steps[2].CutShort() || rec.Steps[3].CutShort() {
		t.Error("a cancelled step is cut short, a failed one is not")
	}
	if f := rec.Decide(run.Decision{Do: "skip"}, noon); f != nil || !rec.Steps[3].Given() {
		t.Errorf("got %v, %+v", f, rec.Steps[3])
	}
}
