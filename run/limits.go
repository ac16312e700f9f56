package run

import (
	"time"
)

// Limits bound one run. A zero field means the default: that of [DefaultLimits] in
// what a document says, that of [DefaultCeiling] in what the operator says.
type Limits struct {
	MaxNodeExecutions int           `json:"max_node_executions,omitempty"`
	MaxExecutionTime  time.Duration `json:"max_execution_time,omitempty"`
	MaxExpressionTime time.Duration `json:"max_expression_time,omitempty"`
	MaxResultBytes    int           `json:"max_result_bytes,omitempty"` // of the result and of each output, as JSON
	MaxTraceBytes     int           `json:"max_trace_bytes,omitempty"`  // of all outputs of a run together
}

// DefaultLimits are the format's: those of a document that says nothing.
var DefaultLimits = Limits{
	MaxNodeExecutions: 1000, MaxExecutionTime: 5 * time.Minute, MaxExpressionTime: 10 * time.Second,
	MaxResultBytes: 16 << 20, MaxTraceBytes: 256 << 20,
}

// DefaultCeiling is what no document exceeds where the operator says nothing.
var DefaultCeiling = Limits{
	MaxNodeExecutions: 1_000_000, MaxExecutionTime: 24 * time.Hour, MaxExpressionTime: 10 * time.Second,
	MaxResultBytes: 16 << 20, MaxTraceBytes: 256 << 20,
}

// Within returns the limits of a run: what the document says in l, at most the
// operator's ceiling. For a zero field of l that is the format's default, and for
// the sizes and the time of an expression the ceiling.
func (l Limits) Within(ceiling Limits) Limits {
	ceiling = ceiling.OrCeiling()
	return Limits{
		MaxNodeExecutions: clamp(positive(l.MaxNodeExecutions, DefaultLimits.MaxNodeExecutions), ceiling.MaxNodeExecutions),
		MaxExecutionTime:  clamp(positive(l.MaxExecutionTime, DefaultLimits.MaxExecutionTime), ceiling.MaxExecutionTime),
		MaxExpressionTime: clamp(l.MaxExpressionTime, ceiling.MaxExpressionTime),
		MaxResultBytes:    clamp(l.MaxResultBytes, ceiling.MaxResultBytes),
		MaxTraceBytes:     clamp(l.MaxTraceBytes, ceiling.MaxTraceBytes),
	}
}

// OrCeiling returns l with its zero fields filled from [DefaultCeiling].
func (l Limits) OrCeiling() Limits {
	l.MaxNodeExecutions = positive(l.MaxNodeExecutions, DefaultCeiling.MaxNodeExecutions)
	l.MaxExecutionTime = positive(l.MaxExecutionTime, DefaultCeiling.MaxExecutionTime)
	l.MaxExpressionTime = positive(l.MaxExpressionTime, DefaultCeiling.MaxExpressionTime)
	l.MaxResultBytes = positive(l.MaxResultBytes, DefaultCeiling.MaxResultBytes)
	l.MaxTraceBytes = positive(l.MaxTraceBytes, DefaultCeiling.MaxTraceBytes)
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
