package runs

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// ScheduleMark implements [run.ScheduleStore].
func (l *Local) ScheduleMark(project, name string) (*run.ScheduleMark, error) {
	store, err := l.scheduleStore()
	if err != nil {
		return nil, err
	}
	return store.ScheduleMark(project, name)
}

// SetScheduleMark implements [run.ScheduleStore].
func (l *Local) SetScheduleMark(project, name string, was *run.ScheduleMark, is run.ScheduleMark) (bool, error) {
	store, err := l.scheduleStore()
	if err != nil {
		return false, err
	}
	return store.SetScheduleMark(project, name, was, is)
}

func (l *Local) scheduleStore() (run.ScheduleStore, error) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	marks, ok := store.(run.ScheduleStore)
	if !ok {
		return nil, diag.Faultf("no-schedules", "the store of runs keeps no schedules")
	}
	return marks, nil
}
