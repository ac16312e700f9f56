package run

import (
	"github.com/patchbay-mcp/patchbay/expr"
)

// Options say how a plan runs. The zero value runs it whole.
type Options struct {
	ID     string                // of the run; what is random in it follows from this
	Limits Limits                // the operator's ceiling
	Pins   map[string]expr.Value // outputs given instead of computed, by node id
	Until  string                // the last node to run, or ""
	// Operator says that a person has started the run who operates Patchbay, and nobody
	// else has had a say in it since: the person answers for a document sent with it.
	Operator bool
	// Session names the session of the client that has a say in the run, "" where there is none.
	Session string
	// OnResult is called with what the graph has come to, before branches that nobody
	// waits for have ended. It may be nil.
	OnResult func(result expr.Value, err error)
}
