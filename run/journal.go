package run

// A Journal keeps runs as they go, so that they outlive the process. It is safe
// for concurrent use. An error says that what was to be kept may not be: the run
// must not go on.
type Journal interface {
	// Begin keeps a run that starts, or the whole record of one that goes on, and
	// returns when that is safe.
	Begin(*Record) error
	// Step keeps the start or the end of an execution. If it is to be safe it
	// returns when it is, and so is everything told before; else it returns at once.
	Step(run string, s StepRecord, safe bool) error
	// Intend keeps an intent or what came of it, as Step does.
	Intend(run string, in Intent, safe bool) error
	// End stores the state of a run that has stopped, and returns when that is
	// safe.
	End(*Record) error
}
