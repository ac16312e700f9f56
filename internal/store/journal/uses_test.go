package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

var usesBegan = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// usedRuns are runs of which those of the graph a count that have completed.
func usedRuns() []*run.Record {
	called := func(i int, output string) *run.StepRecord {
		return &run.StepRecord{Index: i, Node: "n", Type: "mcp", Key: fmt.Sprint("n#", i), Call: "id", Output: output, Size: len(output) + 2, Ended: i + 1}
	}
	failed := called(1, "")
	failed.Fault, failed.Caught, failed.Output, failed.Size = &diag.Fault{Code: "tool-failed"}, true, nil, 0
	pinned := called(2, "given")
	pinned.Simulated = "pin"
	list := []*run.Record{
		{ID: "first", Graph: "a", Principal: "ann", Project: "p", Result: "xx", Steps: []*run.StepRecord{called(0, strings.Repeat("x", 98)), failed, pinned, {Index: 3, Node: "t", Type: "transform", Key: "t#0", Pure: true, Output: "made", Size: 6, Ended: 4}}},
		{ID: "second", Graph: "a", Principal: "ann", Project: "p", Started: usesBegan.Add(time.Hour), Steps: []*run.StepRecord{called(0, strings.Repeat("x", 198))}},
		{ID: "dry", Graph: "a", Principal: "ann", Project: "p", Mode: run.DryRun, Steps: []*run.StepRecord{called(0, "x")}},
		{ID: "failed", Graph: "a", Principal: "ann", Project: "p", Status: run.Failed, Steps: []*run.StepRecord{called(0, "x")}},
		{ID: "elsewhere", Graph: "a", Principal: "ann", Project: "q", Steps: []*run.StepRecord{called(0, "x")}},
		{ID: "bob", Graph: "a", Principal: "bob", Project: "p", Steps: []*run.StepRecord{called(0, "x")}},
		{ID: "other", Graph: "b", Principal: "ann", Project: "p", Result: "yes"},
	}
	for _, r := range list {
		if r.Started.IsZero() {
			r.Started = usesBegan
		}
	}
	return list
}

func keep(t *testing.T, s runs.RunStore, list []*run.Record) {
	t.Helper()
	for _, r := range list {
		status := r.Status
		if status == "" {
			status = run.Succeeded
		}
		r.Status = run.Running
		steps := r.Steps
		r.Steps = nil
		err := s.Begin(r, false)
		for _, step := range steps {
			err = errors.Join(err, s.Step(r.ID, *step))
		}
		r.Steps, r.Status, r.Ended = steps, status, r.Started.Add(time.Second)
		if err := errors.Join(err, s.End(r, true)); err != nil {
			t.Fatal(err)
		}
	}
}

// Completed runs of the caller's project are added up by graph, from what was counted
// when they ended.
func TestUses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j, m := open(t, path, nil), NewMemory(nil)
	keep(t, j, usedRuns())
	keep(t, m, usedRuns())
	ann := run.Actor{Principal: "ann"}
	a := run.Use{Graph: "a", Runs: 2, Counted: 2, Calls: 3, Called: 300, Replied: 4}
	b := run.Use{Graph: "b", Runs: 1, Counted: 1, Replied: 5}
	second := run.Use{Graph: "a", Runs: 1, Counted: 1, Calls: 1, Called: 200}
	for name, s := range map[string]runs.RunStore{"journal": j, "reopened": open(t, path, nil), "memory": m} {
		for _, tc := range []struct {
			filter run.Filter
			want   []run.Use
		}{
			{run.Filter{Actor: ann, Project: "p"}, []run.Use{a, b}},
			{run.Filter{Actor: ann, Project: "p", Graph: "a", Limit: 1, Status: run.Failed}, []run.Use{a}},
			{run.Filter{Actor: ann, Project: "p", Since: usesBegan.Add(time.Minute)}, []run.Use{second}},
			{run.Filter{Actor: operator, Graph: "b"}, []run.Use{b}},
			{run.Filter{Actor: ann, Graph: "c"}, nil},
		} {
			got, err := s.Uses(tc.filter)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%s, %+v: %v (-want +got)\n%s", name, tc.filter, err, diff)
			}
		}
	}
}

// A run that is resumed after a restart counts what it had called before, too.
func TestUsesOfAResumedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	first := usedRuns()[:1]
	first[0].Status = run.Interrupted
	j := open(t, path, nil)
	keep(t, j, first)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = open(t, path, nil)
	r, err := j.Load(operator, "first")
	if err != nil {
		t.Fatal(err)
	}
	r.Status = run.Running
	err = j.Begin(r, true)
	more := run.StepRecord{Index: len(r.Steps), Node: "n", Type: "mcp", Key: "n#9", Call: "id", Output: "yyyy", Size: 6, Ended: 9}
	err = errors.Join(err, j.Step("first", more))
	r.Steps, r.Status = append(r.Steps, &more), run.Succeeded
	if err := errors.Join(err, j.End(r, true)); err != nil {
		t.Fatal(err)
	}
	want := []run.Use{{Graph: "a", Runs: 1, Counted: 1, Calls: 3, Called: 106, Replied: 4}}
	if got, err := j.Uses(run.Filter{Actor: operator}); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// No run is read to add runs up: the index has all that is needed.
func TestUsesReadTheIndexOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := open(t, path, nil)
	for _, text := range []string{usesOfAll, usesOfGraph} {
		rows, err := j.reads.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, false, "ann", "p", 0, "a")
		if err != nil {
			t.Fatal(err)
		}
		var plan strings.Builder
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(detail + "\n")
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || !strings.Contains(plan.String(), "COVERING INDEX runs_uses") {
			t.Errorf("%v: %s", err, plan.String())
		}
	}
}

// The runs of a journal that an earlier version made are uses without figures.
func TestUsesOfAnEarlierJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := open(t, path, nil)
	keep(t, j, usedRuns())
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	execFile(t, path, "DROP INDEX runs_uses; ALTER TABLE runs DROP COLUMN calls; ALTER TABLE runs DROP COLUMN called; ALTER TABLE runs DROP COLUMN replied; PRAGMA user_version = 1")
	j = open(t, path, nil)
	more := usedRuns()[1:2]
	more[0].ID = "new"
	keep(t, j, more)
	want := []run.Use{{Graph: "a", Runs: 3, Counted: 1, Calls: 1, Called: 200}}
	got, err := j.Uses(run.Filter{Actor: run.Actor{Principal: "ann"}, Project: "p", Graph: "a"})
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// A list of the runs of one status is what is of this status in the list of all, as far as its limit.
func TestAListByStatusIsPartOfTheWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	other := open(t, path, nil)
	statuses := []run.Status{run.Succeeded, run.Failed, run.Interrupted, run.Running}
	for i := range 60 {
		r := &run.Record{ID: fmt.Sprint("r", i), Graph: fmt.Sprint("g", i%5), Project: fmt.Sprint("p", i%3), Status: run.Running, Started: time.Unix(int64(i/2), 0)}
		err := other.Begin(r, true)
		if r.Status, r.Ended = statuses[i%4], r.Started; r.Status != run.Running {
			err = errors.Join(err, other.End(r, true))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	j := open(t, path, nil)
	check := func() {
		t.Helper()
		for _, f := range []run.Filter{{}, {Graph: "g1"}, {Project: "p2"}, {Since: time.Unix(9, 0)}} {
			f.Actor = operator
			all, err := j.List(f)
			for _, f.Status = range statuses {
				for _, f.Limit = range []int{0, 1, 3, 100} {
					var want []run.Summary
					for _, s := range all {
						if s.Status == f.Status && (f.Limit == 0 || len(want) < f.Limit) {
							want = append(want, s)
						}
					}
					got, failed := j.List(f)
					if errors.Join(err, failed) != nil || cmp.Diff(want, got) != "" {
						t.Errorf("%+v: %v %v\n%s", f, err, failed, cmp.Diff(want, got))
					}
				}
			}
		}
	}
	check()
	if err := other.Close(); err != nil { // what was running is interrupted
		t.Fatal(err)
	}
	check()
	execFile(t, path, "DROP INDEX runs_status")
	j = open(t, path, nil) // which earlier programs have made
	check()
}
