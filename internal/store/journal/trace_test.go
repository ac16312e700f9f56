package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/patchbay-mcp/patchbay/run"
)

// traced are steps of a loop in a branch, a foreach that goes on, and a step with no
// values.
func traced() []*run.StepRecord {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	steps := []*run.StepRecord{
		{Index: 0, Node: "entry", Type: "entry", Key: "entry#0", Pure: true, Started: began, Duration: 5, Ended: 1, Output: "in", Definition: 1 << 63},
		{Index: 1, Node: "fork", Type: "parallel", Key: "fork#0", Frame: true, Started: began.Add(time.Second), Branches: []string{"b", "a"}},
	}
	for i := range 300 {
		steps = append(steps, &run.StepRecord{
			Index: i + 2, Node: "loop", Type: "transform", Key: fmt.Sprint("fork#0/b/loop#", i), Part: true, Pure: true,
			Started: began.Add(time.Duration(i) * time.Millisecond), Duration: time.Duration(i), Ended: 400 - i, Input: "x", Output: "y", Attempts: i % 3,
		})
	}
	return steps
}

func TestTrace(t *testing.T) {
	for _, values := range []bool{true, false} {
		var tr trace
		want := traced()
		for _, s := range want {
			var in, out []byte
			if s.Input != nil {
				in = []byte(`"x"`)
			}
			if s.Output != nil {
				out = fmt.Appendf(nil, "%q", s.Output)
			}
			tr.add(s, values, in, out)
			if !values {
				s.Input, s.Output, s.Lost = nil, nil, s.Ended > 0
			}
			if values && s.Ended == 0 {
				s.Lost = false
			}
		}
		var got []*run.StepRecord
		if err := decodeTrace(tr.buf, slices.Clip, func(s run.StepRecord) { got = append(got, &s) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(time.Time{})); diff != "" {
			t.Errorf("values %v (-want +got):\n%s", values, diff)
		}
		if each := len(tr.buf) / len(want); !values && each > 20 {
			t.Errorf("a step takes %d bytes", each)
		}
	}
}

// FuzzTrace: a damaged trace is an error or other steps, never a panic.
func FuzzTrace(f *testing.F) {
	var tr trace
	for _, s := range traced()[:5] {
		tr.add(s, true, []byte(`1`), []byte(`[2]`))
	}
	f.Add(tr.buf)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := decodeTrace(data, slices.Clip, func(s run.StepRecord) {
			if s.Index < 0 || s.Index >= maxIndex {
				t.Fatal(s.Index)
			}
		}); err != nil && !errors.Is(err, errTrace) {
			t.Fatal(err)
		}
	})
}

// TestRunThatNobodyWaitsFor: what is told without safe is there when somebody looks,
// in few writes, and the values that follow from the rest are left out beyond a bound.
func TestRunThatNobodyWaitsFor(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "runs.db"), &Options{MaxTraced: 600})
	r := &run.Record{ID: "run", Status: run.Running, Started: time.Now()}
	if err := j.Begin(r, false); err != nil {
		t.Fatal(err)
	}
	r.Steps = traced()
	for _, s := range r.Steps {
		if err := j.Step("run", *s); err != nil {
			t.Fatal(err)
		}
	}
	list, err := j.List(run.Filter{Actor: operator})
	if err != nil || len(list) != 1 || list[0].Steps != len(r.Steps) || list[0].Status != run.Running {
		t.Errorf("while it executes: %+v, %v", list, err)
	}
	r.Status, r.Result = run.Succeeded, "done"
	if err := j.End(r, false); err != nil {
		t.Fatal(err)
	}
	got, err := j.Load(operator, "run")
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for i, s := range got.Steps {
		if !s.Lost && s.Ended > 0 {
			kept++
		}
		if s.Key != r.Steps[i].Key || s.Ended != r.Steps[i].Ended {
			t.Errorf("step %d: %+v", i, s)
		}
	}
	if kept != 100 || got.Status != run.Succeeded || got.Result != "done" {
		t.Errorf("%d steps have values; %s %v", kept, got.Status, got.Result)
	}
}
