package run

// A CallError is the error of a call of which the caller knows what came of it.
type CallError struct {
	Outcome CallOutcome
	Err     error
}

// A CallOutcome is what came of a call that returned an error.
type CallOutcome int

// The outcomes of calls that returned an error. A call of unknown outcome may have taken
// effect; if it is not repeatable, only a decision about its step makes it again, as
// with one that was completed.
const (
	CallUnknown   CallOutcome = iota
	CallNotSent               // it did not reach its server, which does not start, for example
	CallRefused               // its server answered with an error
	CallCompleted             // it was completed, and its result cannot be used
)

// OutcomeOf returns what came of a call that returned an error: [CallUnknown] unless the
// error itself is a [CallError]. What it wraps does not count: a call that was cancelled
// because another failed returns an error that wraps that of the other.
func OutcomeOf(err error) CallOutcome {
	if e, ok := err.(*CallError); ok { //nolint:errorlint // see above
		return e.Outcome
	}
	return CallUnknown
}

// Error returns the message of the error.
func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *CallError) Unwrap() error { return e.Err }
