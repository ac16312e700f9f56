package runner

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Adopt implements [runs.Runner].
func (*Runner) Adopt([]string, string) (int, *diag.Fault) {
	f := offeredNot("a run keeps its project")
	f.Hint = "runs list --all-projects lists it, and runs show, cancel, replay and save-test take its ID; to answer or resume it, set project in patchbay.yaml to the name that it had"
	return 0, f
}

// ScheduleMark implements [run.ScheduleStore]: the marks of schedules are on Temporal, so that
// one of several machines starts what is due.
func (r *Runner) ScheduleMark(project, name string) (*run.ScheduleMark, error) {
	return r.state.Mark(context.Background(), project, name)
}

// SetScheduleMark implements [run.ScheduleStore].
func (r *Runner) SetScheduleMark(project, name string, was *run.ScheduleMark, is run.ScheduleMark) (bool, error) {
	return r.state.SetMark(context.Background(), project, name, was, is)
}
