package run

// A Journal stores runs while they execute, so that they outlive the process. It is
// safe for concurrent use.
//
// A run waits for the disk only where something could be lost. A record without safe
// is written soon after the call, in the order of the calls. With safe, this record
// and all earlier ones of the run are on disk when the method returns; if it returns
// an error they may not be, and the run must not continue.
type Journal interface {
	// Begin stores a run that starts, or the whole record of one that continues. With
	// safe it may refuse the run.
	Begin(r *Record, safe bool) error
	// Step stores the start or the end of an execution. An error means that it can never
	// be stored.
	Step(run string, s StepRecord) error
	// Intend stores an intent or its outcome.
	Intend(run string, in Intent, safe bool) error
	// End stores the state of a run that has stopped.
	End(r *Record, safe bool) error
}

// Forget is the journal that stores nothing.
type Forget struct{}

// Begin does nothing.
func (Forget) Begin(*Record, bool) error { return nil }

// Step does nothing.
func (Forget) Step(string, StepRecord) error { return nil }

// Intend does nothing.
func (Forget) Intend(string, Intent, bool) error { return nil }

// End does nothing.
func (Forget) End(*Record, bool) error { return nil }
