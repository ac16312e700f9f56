package run

import "time"

// A ScheduleMark is how far a schedule has been handled: every occurrence up to At has been
// started, or is being started.
type ScheduleMark struct {
	At         time.Time
	Definition string // when the schedule is due, as its author has written it
	Run        string // the ID of the run that is being started; "" when that is done
	Owner      string // who has set the mark, as the store knows it
	// Abandoned says that Run was never started, and that its process has ended. It is set
	// by the store.
	Abandoned bool
}

// A ScheduleStore keeps the marks of schedules. It is safe for concurrent use, by several
// processes if it is on disk.
type ScheduleStore interface {
	// ScheduleMark returns the mark of a schedule, nil for one that is not known.
	ScheduleMark(project, name string) (*ScheduleMark, error)
	// SetScheduleMark replaces a mark, nil for none, by another. It reports false if the
	// mark is not that one any more: somebody else has been faster.
	SetScheduleMark(project, name string, was *ScheduleMark, is ScheduleMark) (bool, error)
}
