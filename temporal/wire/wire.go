// Package wire is what the processes of a deployment on Temporal tell each other: the
// names of workflows, activities, queries, updates and signals, and what travels with
// them. It knows plans and records, and neither workers nor clients.
//
// Values of more than 256 kB travel as references: the client and the workers have the
// same converter.ExternalStorage, with a driver of package blobs. Nothing here does
// that again.
package wire

import "go.temporal.io/sdk/temporal"

// Names that a run and its callers use.
const (
	// Workflow is the type of the workflow that executes a run. Its id is the run's. It
	// takes an [Input] and returns an [Outcome].
	Workflow = "patchbay.run"

	// Call is the activity that makes one call: it takes a [CallRequest] and returns a
	// [CallReply].
	Call = "patchbay.call"
	// State is the activity that reads or changes state: it takes a [StateRequest] and
	// returns a [StateReply].
	State = "patchbay.state"

	// QueryRecord returns the [Record] of a run, also of one that has ended.
	QueryRecord = "record"
	// QueryStatus returns the [Status] of a run, which is small.
	QueryStatus = "status"
	// QueryNews takes a [Seen] and returns a [News].
	QueryNews = "news"
	// UpdateAnswer takes an [Answer] and returns when it is kept. It is refused with the
	// codes not-asked and not-running.
	UpdateAnswer = "answer"
	// UpdateResume takes an [Input] with the record of a run that is parked, and continues
	// with it. It is refused with run-busy while the run executes, and with run-changed if
	// the record is not the latest. A run that has ended is resumed by starting its
	// workflow again with such an input.
	UpdateResume = "resume"
	// UpdateAsk is sent by a call in progress: it takes an [Ask] and returns a
	// run.Answer when a person has answered, or time is up.
	UpdateAsk = "ask"
	// SignalCancel takes a [Fault] and ends the run.
	SignalCancel = "cancel"
)

// CallQueue is the task queue of the calls of runs whose workflows are in a task queue.
func CallQueue(queue string) string { return queue + "-calls" }

// Search attributes of a run, which the namespace must know if [Input.Indexed] is set.
var (
	AttributeGraph     = temporal.NewSearchAttributeKeyKeyword("PatchbayGraph")
	AttributeProject   = temporal.NewSearchAttributeKeyKeyword("PatchbayProject")
	AttributePrincipal = temporal.NewSearchAttributeKeyKeyword("PatchbayPrincipal")
	AttributeStatus    = temporal.NewSearchAttributeKeyKeyword("PatchbayStatus")
)

// MemoSummary is the key of the memo that has the [Status] of a run. Who starts a run
// sets it, and the workflow keeps it current.
const MemoSummary = "patchbay"

// ErrorType is the type of the application errors that carry a [Fault] as their details:
// of a refused update, for example.
const ErrorType = "patchbay.fault"

// Refusal is the error that carries a fault to another process.
func Refusal(f *Fault) error {
	return temporal.NewApplicationErrorWithOptions(f.Message, ErrorType, temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{*f}})
}
