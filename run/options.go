package run

import (
	"time"

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
	// Around says that the run is of a workflow around a request.
	Around bool
	// Session names the session of the client that has a say in the run, or "".
	Session string
	// By is what started the run, such as "schedule nightly" or the name of a client; "" is not
	// known, or the command line.
	By string
	// OnResult is called with what the graph has come to, before branches that nobody
	// waits for have ended. It may be nil.
	OnResult func(result expr.Value, err error)
}

// Limits bound one run. A zero field means the default: that of [DefaultLimits] in
// what a document says, that of [DefaultCeiling] in what the operator says.
type Limits struct {
	MaxNodeExecutions int           `json:"max_node_executions,omitempty"`
	MaxExecutionTime  time.Duration `json:"max_execution_time,omitempty"`
	MaxExpressionTime time.Duration `json:"max_expression_time,omitempty"`
	MaxResultBytes    int           `json:"max_result_bytes,omitempty"`   // of the result and of each output, as JSON
	MaxTraceBytes     int           `json:"max_trace_bytes,omitempty"`    // of all outputs of a run together
	MaxTokens         int           `json:"max_tokens,omitempty"`         // of models, in a run
	MaxTokensPerDay   int           `json:"max_tokens_per_day,omitempty"` // of models, in the runs of a graph on a day of UTC
}

// DefaultLimits are the format's: those of a document that says nothing.
var DefaultLimits = Limits{
	MaxNodeExecutions: 1000, MaxExecutionTime: 5 * time.Minute, MaxExpressionTime: 10 * time.Second,
	MaxResultBytes: 16 << 20, MaxTraceBytes: 256 << 20, MaxTokens: 1_000_000, MaxTokensPerDay: 10_000_000,
}

// DefaultCeiling is what no document exceeds where the operator says nothing.
var DefaultCeiling = Limits{
	MaxNodeExecutions: 1_000_000, MaxExecutionTime: 24 * time.Hour, MaxExpressionTime: 10 * time.Second,
	MaxResultBytes: 16 << 20, MaxTraceBytes: 256 << 20, MaxTokens: 1_000_000, MaxTokensPerDay: 10_000_000,
}

// Within returns the limits of a run: what the document says in l, at most the
// operator's ceiling. For a zero field of l that is the format's default, and for
// the sizes, the tokens and the time of an expression the ceiling.
func (l Limits) Within(ceiling Limits) Limits {
	ceiling = ceiling.OrCeiling()
	return Limits{
		MaxNodeExecutions: clamp(positive(l.MaxNodeExecutions, DefaultLimits.MaxNodeExecutions), ceiling.MaxNodeExecutions),
		MaxExecutionTime:  clamp(positive(l.MaxExecutionTime, DefaultLimits.MaxExecutionTime), ceiling.MaxExecutionTime),
		MaxExpressionTime: clamp(l.MaxExpressionTime, ceiling.MaxExpressionTime),
		MaxResultBytes:    clamp(l.MaxResultBytes, ceiling.MaxResultBytes),
		MaxTraceBytes:     clamp(l.MaxTraceBytes, ceiling.MaxTraceBytes),
		MaxTokens:         clamp(l.MaxTokens, ceiling.MaxTokens),
		MaxTokensPerDay:   clamp(l.MaxTokensPerDay, ceiling.MaxTokensPerDay),
	}
}

// OrCeiling returns l with its zero fields filled from [DefaultCeiling].
func (l Limits) OrCeiling() Limits {
	l.MaxNodeExecutions = positive(l.MaxNodeExecutions, DefaultCeiling.MaxNodeExecutions)
	l.MaxExecutionTime = positive(l.MaxExecutionTime, DefaultCeiling.MaxExecutionTime)
	l.MaxExpressionTime = positive(l.MaxExpressionTime, DefaultCeiling.MaxExpressionTime)
	l.MaxResultBytes = positive(l.MaxResultBytes, DefaultCeiling.MaxResultBytes)
	l.MaxTraceBytes = positive(l.MaxTraceBytes, DefaultCeiling.MaxTraceBytes)
	l.MaxTokens = positive(l.MaxTokens, DefaultCeiling.MaxTokens)
	l.MaxTokensPerDay = positive(l.MaxTokensPerDay, DefaultCeiling.MaxTokensPerDay)
	return l
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

func clamp[T int | time.Duration](v, ceiling T) T {
	if v <= 0 || v > ceiling {
		return ceiling
	}
	return v
}

// An Actor makes a request. It decides which runs exist: an actor sees its
// own principal's, an operator sees all.
type Actor struct {
	Principal string // whom the runs that it starts belong to
	// Operator says that it is a person who operates Patchbay, and not an agent: it may
	// decide what a person was asked.
	Operator bool
}

// Sees reports whether the runs of a principal exist for the actor.
func (a Actor) Sees(principal string) bool { return a.Operator || a.Principal == principal }
