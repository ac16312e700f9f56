package runner

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Adopt implements [runs.Runner].
func (*Runner) Adopt([]string, string) (int, *diag.Fault) {
	return 0, offeredNot("a run keeps its project")
}

// States implements [runs.Runner].
func (*Runner) States(string, string) ([]run.StateEntry, *diag.Fault) {
	return nil, offeredNot("the state of graphs is not kept")
}

// DeleteState implements [runs.Runner].
func (*Runner) DeleteState(string, string, string) (int, *diag.Fault) {
	return 0, offeredNot("the state of graphs is not kept")
}

// ScheduleMark implements [run.ScheduleStore]: the marks of schedules are in the journal of
// this machine.
func (r *Runner) ScheduleMark(project, name string) (*run.ScheduleMark, error) {
	store, err := r.marks()
	if err != nil {
		return nil, err
	}
	return store.ScheduleMark(project, name)
}

// SetScheduleMark implements [run.ScheduleStore].
func (r *Runner) SetScheduleMark(project, name string, was *run.ScheduleMark, is run.ScheduleMark) (bool, error) {
	store, err := r.marks()
	if err != nil {
		return false, err
	}
	return store.SetScheduleMark(project, name, was, is)
}

func (r *Runner) marks() (run.ScheduleStore, error) {
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	marks, ok := store.(run.ScheduleStore)
	if !ok {
		return nil, offeredNot("no schedules are kept")
	}
	return marks, nil
}
