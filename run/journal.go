package run

// A Journal keeps runs as they go, so that they outlive the process. It is safe
// for concurrent use.
//
// A run waits for the disk only where something could be lost: what is told without
// safe is written soon after, in the order in which it was told. What is told with
// safe is on disk when the method returns, and so is all that was told before of
// the same run; an error then says that it may not be, and the run must not go on.
type Journal interface {
	// Begin keeps a run that starts, or the whole record of one that goes on. With
	// safe it may refuse the run.
	Begin(r *Record, safe bool) error
	// Step keeps the start or the end of an execution. An error says that it can never
	// be kept.
	Step(run string, s StepRecord) error
	// Intend keeps an intent or what came of it.
	Intend(run string, in Intent, safe bool) error
	// End keeps the state of a run that has stopped.
	End(r *Record, safe bool) error
}

// Forget is the journal that keeps nothing.
type Forget struct{}

// Begin does nothing.
func (Forget) Begin(*Record, bool) error { return nil }

// Step does nothing.
func (Forget) Step(string, StepRecord) error { return nil }

// Intend does nothing.
func (Forget) Intend(string, Intent, bool) error { return nil }

// End does nothing.
func (Forget) End(*Record, bool) error { return nil }
