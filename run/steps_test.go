package run_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

// TestStepsDoNotMove: the place of a record stays while the list of a long run grows.
func TestStepsDoNotMove(t *testing.T) {
	var made run.Steps
	var list, places []*run.StepRecord
	for i := range 10_000 {
		list = made.Put(list, &run.StepRecord{Index: i, Attempts: i})
		places = append(places, list[i])
	}
	for i, at := range places {
		if list[i] != at || at.Attempts != i {
			t.Fatalf("step %d is %+v", i, list[i])
		}
	}
}

func TestPutFillsThePlacesBefore(t *testing.T) {
	var made run.Steps
	list := made.Put(nil, &run.StepRecord{Index: 2, Key: "n#2"})
	if len(list) != 3 || list[1].Index != 1 || list[1].Key != "" || list[2].Key != "n#2" {
		t.Errorf("%+v", list)
	}
}

func TestCloneSteps(t *testing.T) {
	from := []*run.StepRecord{{Key: "a"}, {Key: "b"}}
	to := run.CloneSteps(nil, from)
	to[0].Key = "c"
	if len(to) != 2 || from[0].Key != "a" || to[1].Key != "b" {
		t.Errorf("%+v of %+v", to, from)
	}
}
