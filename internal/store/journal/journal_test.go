package journal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

var (
	operator = run.Actor{Operator: true}
	ann      = run.Actor{Principal: "ann"}
)

func openJournal(t testing.TB, path string, o *journal.Options) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func value(t testing.TB, text string) expr.Value {
	t.Helper()
	v, err := expr.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// alike compares records: values by their JSON text, so that the order of keys
// and every digit count, and faults without the errors that caused them.
var alike = cmp.Options{
	cmpopts.IgnoreUnexported(run.Record{}),         // what follows from its steps
	cmpopts.IgnoreFields(run.StepRecord{}, "Size"), // it is about the same
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type() == nil || p.Last().Type().Kind().String() == "interface" },
		cmp.Comparer(func(a, b any) bool { return text(a) == text(b) })),
	cmpopts.IgnoreFields(diag.Fault{}, "Err"),
	cmpopts.EquateEmpty(),
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case json.RawMessage:
		return string(v)
	}
	b, err := expr.Encode(v)
	if err != nil {
		b, _ = json.Marshal(v)
	}
	return string(b)
}

var now = time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)

// full returns a record with something in every field.
func full(t testing.TB, id string) *run.Record {
	exact := `{"z":9007199254740993,"a":[1.10,null,{"é":"\u0001"}],"":1e400}`
	fault := &diag.Fault{
		Code: "tool-failed", Message: "it said no", Node: "call", Path: "/args/x", Got: json.RawMessage(`{"z":1,"a":90071992547409931}`),
		Want: []string{"a", "b"}, Hint: "ask again", Suggestions: []string{"y"}, Details: value(t, exact),
	}
	return &run.Record{
		ID: id, Graph: "count", Principal: "ann", Mode: "dry_run", Project: "p",
		Source:    run.Source{Name: "g.yaml", Text: "nodes: []\n", Tool: "count", Trusted: true},
		Arguments: json.RawMessage(`{"b":9007199254740993,"a":1}`),
		Options: run.Options{
			ID: id, Limits: run.Limits{MaxNodeExecutions: 7, MaxExecutionTime: time.Minute, MaxExpressionTime: time.Second},
			Pins: map[string]expr.Value{"p": value(t, exact), "none": nil, "null": value(t, "null")}, Until: "last",
		},
		Status: run.Running, Started: now,
		Steps: []*run.StepRecord{
			{
				Index: 0, Node: "call", Type: "mcp", Key: "call#0", Started: now.Add(1), Duration: 1500, Input: value(t, exact), Output: value(t, "null"),
				Fault: fault, Caught: true, Part: true, Pure: true, Attempts: 3, Ended: 2, Simulated: "pin", Definition: 1<<63 + 5,
			},
			{Index: 1, Node: "list", Type: "mcp", Key: "list#0", Started: now.Add(2), Branches: []string{"b", "a"}},
			{Index: 2, Node: "no", Type: "transform", Key: "no#0", Started: now.Add(3), Ended: 1},
		},
		Intents: []run.Intent{
			{Key: "call#0/call", Step: "call#0", Kind: run.IntentCall, At: now, Detail: json.RawMessage(`{"server":"s"}`), Outcome: json.RawMessage(`{"fault":null}`)},
			{Key: "ask#0/ask", Step: "ask#0", Kind: run.IntentAsk, At: now, Until: time.Date(9999, 1, 1, 0, 0, 0, 1, time.UTC)},
		},
		Resumed: []run.Resumption{{At: now, After: "crash", Decision: "retry", Step: "call#0", Steps: 2}},
	}
}

// TestJournalKeepsEveryField is about what a run says after a restart.
func TestJournalKeepsEveryField(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "runs.db")
	j := openJournal(t, path, nil)
	want := full(t, "run_1")
	if err := j.Begin(want, true); err != nil {
		t.Fatal(err)
	}
	more := run.StepRecord{Index: 3, Node: "x", Type: "transform", Key: "x#0", Started: now, Output: value(t, `{"b":1,"a":2}`), Ended: 3}
	want.Steps = append(want.Steps, &more)
	if err := j.Step("run_1", more); err != nil {
		t.Fatal(err)
	}
	sleep := run.Intent{Key: "w#0/sleep", Step: "w#0", Kind: run.IntentSleep, At: now, Until: now.Add(time.Second)}
	want.Intents = append(want.Intents, sleep)
	if err := j.Intend("run_1", sleep, false); err != nil {
		t.Fatal(err)
	}
	want.Status, want.Result, want.Ended = run.Failed, value(t, `[9007199254740993]`), now.Add(time.Hour)
	want.Fault = want.Steps[0].Fault
	if err := j.End(want, true); err != nil {
		t.Fatal(err)
	}
	for name, j := range map[string]*journal.Journal{"at once": j, "reopened": openJournal(t, path, nil)} {
		got, err := j.Load(ann, "run_1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, alike); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		list, err := j.List(run.Filter{Actor: ann})
		if diff := cmp.Diff([]run.Summary{run.Summarize(want)}, list); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for path, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, mode)
		}
	}
}

// TestJournalBelongsToPrincipals: to others a run does not exist.
func TestJournalBelongsToPrincipals(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "runs.db"), nil)
	for i, who := range []string{"ann", "bob", "ann"} {
		r := &run.Record{ID: fmt.Sprint("run_", i), Principal: who, Graph: fmt.Sprint("g", i%2), Status: run.Running, Started: now.Add(time.Duration(i) * time.Hour)}
		if err := j.Begin(r, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Load(ann, "run_1"); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("ann reads bob's run: %v", err)
	}
	if _, err := j.Status(ann, "run_1"); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("ann asks how bob's run stands: %v", err)
	}
	if status, err := j.Status(ann, "run_0"); status != run.Running || err != nil {
		t.Errorf("her own run: %q %v", status, err)
	}
	if err := j.Cancel(ann, "run_1"); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("ann cancels bob's run: %v", err)
	}
	if _, err := j.Load(operator, "run_1"); err != nil {
		t.Errorf("the operator: %v", err)
	}
	for _, test := range []struct {
		f    run.Filter
		want []string
	}{
		{run.Filter{Actor: ann}, []string{"run_2", "run_0"}},
		{run.Filter{Actor: run.Actor{Principal: "eve"}}, nil},
		{run.Filter{Actor: operator}, []string{"run_2", "run_1", "run_0"}},
		{run.Filter{Actor: operator, Graph: "g0", Limit: 1}, []string{"run_2"}},
		{run.Filter{Actor: operator, Since: now.Add(time.Hour)}, []string{"run_2", "run_1"}},
		{run.Filter{Actor: operator, Status: run.Failed}, nil},
	} {
		list, err := j.List(test.f)
		var ids []string
		for _, s := range list {
			ids = append(ids, s.ID)
		}
		if diff := cmp.Diff(test.want, ids); diff != "" || err != nil {
			t.Errorf("%+v: %v (-want +got):\n%s", test.f, err, diff)
		}
	}
}
