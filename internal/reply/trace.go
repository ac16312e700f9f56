package reply

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A TraceStep is one node execution as a reply shows it. Outputs and inputs
// beyond 2 kB are cut to text; the size is the whole one's, in bytes of JSON.
type TraceStep struct {
	Node       string          `json:"node"`
	Key        string          `json:"key,omitempty"` // of a step in a branch, an item or a nested graph: where in the run it belongs
	Index      int             `json:"index"`
	Ms         float64         `json:"ms"`
	StartMs    float64         `json:"start_ms,omitempty"` // after the start of the run
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	OutputSize int             `json:"output_size,omitempty"` // set where the output is cut or left out
	Simulated  string          `json:"simulated,omitempty"`
	Error      string          `json:"error,omitempty"`
	Caught     bool            `json:"caught,omitempty"`   // the run continued after the error
	Attempts   int             `json:"attempts,omitempty"` // where there was more than one
	More       int             `json:"more,omitempty"`     // later successful executions of the node, which a summary leaves out
	// Expressions are those that the execution evaluated, where one is asked for.
	Expressions []ShownExpression `json:"expressions,omitempty"`
	Lost        bool              `json:"not_recorded,omitempty"` // its input and output are not kept, and cannot be computed again
}

// A TraceMode says how much of a run is shown.
type TraceMode int

// The modes of traces.
const (
	TraceNone TraceMode = iota
	TraceSummary
	TraceFull
)

// TraceDetail reads the mode of a trace, as callers name it.
func TraceDetail(s string) (TraceMode, *diag.Fault) {
	switch s {
	case "none":
		return TraceNone, nil
	case "", "summary":
		return TraceSummary, nil
	case "full":
		return TraceFull, nil
	}
	return 0, diag.BadArgument("/trace", `trace is "none", "summary" or "full"`, "unknown trace %q", s)
}

// How much of a run a trace shows.
const (
	MaxStepBytes  = 2 << 10
	MaxTraceBytes = 16 << 10
	maxTraceSteps = 100
	maxRepeats    = 3 // executions of one node in a summary, without those that failed
)

// Trace shows what a run did. A summary has a small output whole and of a larger
// one its size, and the first executions of a node that is executed often; a failed step
// always shows what it was given.
func Trace(rec *run.Record, mode TraceMode) []TraceStep {
	if mode == TraceNone {
		return nil
	}
	budget := MaxTraceBytes
	steps, left := rec.Steps, map[string]int(nil)
	if mode == TraceSummary {
		steps, left = withoutRepeats(steps)
	}
	if len(steps) > maxTraceSteps {
		steps = append(append([]*run.StepRecord{}, steps[:maxTraceSteps/2]...), steps[len(steps)-maxTraceSteps/2:]...)
	}
	shown := make([]TraceStep, 0, len(steps))
	for _, s := range steps {
		t := ShowStep(s)
		t.More = left[s.Key]
		if mode == TraceFull && !s.Started.IsZero() {
			t.StartMs = Milliseconds(s.Started.Sub(rec.Started))
		}
		limit := MaxStepBytes
		if mode == TraceSummary {
			limit = 200
		}
		if s.Input != nil && (mode == TraceFull || s.Fault != nil) {
			t.Input, _ = Excerpt(s.Input, MaxStepBytes, &budget)
		}
		if s.Output != nil {
			t.Output, t.OutputSize = sizedExcerpt(s.Output, s.Size, limit, &budget)
		}
		shown = append(shown, t)
	}
	return shown
}

// withoutRepeats leaves out the successful executions of a node after the first few. It
// returns how many follow a step, by the key of the last one that is left.
func withoutRepeats(steps []*run.StepRecord) ([]*run.StepRecord, map[string]int) {
	if len(steps) <= maxRepeats {
		return steps, nil
	}
	type repeats struct {
		node string
		n    int
		last string // key
	}
	seen, left := map[string]*repeats{}, map[string]int{}
	var kept []*run.StepRecord
	var lately [2]*repeats // a loop has few nodes, and a million steps
	for i, s := range steps {
		r := lately[i%len(lately)]
		if r == nil || r.node != s.Node {
			if r = seen[s.Node]; r == nil {
				r = &repeats{node: s.Node}
				seen[s.Node] = r
			}
			lately[i%len(lately)] = r
		}
		if s.Fault == nil && s.Ended > 0 && !s.Frame {
			if r.n++; r.n > maxRepeats {
				continue
			}
			r.last = s.Key
		}
		kept = append(kept, s)
	}
	for _, r := range seen {
		if r.n > maxRepeats {
			left[r.last] = r.n - maxRepeats
		}
	}
	return kept, left
}

// ShowStep shows one execution without its input and output.
func ShowStep(s *run.StepRecord) TraceStep {
	t := TraceStep{Node: s.Node, Index: s.Index, Ms: Milliseconds(s.Duration), Simulated: s.Simulated, Caught: s.Caught, Lost: s.Lost}
	if strings.ContainsAny(s.Key, "/[") {
		t.Key = s.Key
	}
	if s.Attempts > 1 {
		t.Attempts = s.Attempts
	}
	if s.Fault != nil {
		t.Error = s.Fault.Message
	}
	return t
}

// Excerpt encodes a value within a limit and what is left of the budget. A value
// that is too large becomes the text of its beginning, and its size is returned, which
// is exact up to maxExact.
func Excerpt(v expr.Value, limit int, budget *int) (json.RawMessage, int) {
	return sizedExcerpt(v, 0, limit, budget)
}

// sizedExcerpt is excerpt for a value that has been measured: it takes about size bytes.
// 0 is not known.
func sizedExcerpt(v expr.Value, size, limit int, budget *int) (json.RawMessage, int) {
	limit = min(limit, *budget)
	b, larger, err := expr.EncodeWithin(v, max(limit, maxExact))
	if err != nil {
		return nil, 0
	}
	if len(b) <= limit {
		*budget -= len(b)
		return b, 0
	}
	switch {
	case !larger:
		size = len(b)
	case size == 0:
		size = expr.Size(v, maxMeasured)
	}
	if limit < 40 {
		return nil, size
	}
	short := diag.CutJSON(b, limit-20)
	*budget -= len(short)
	return short, size
}

const (
	maxExact    = 32 << 10 // bytes up to which the size of a value that is cut is exact
	maxMeasured = 1 << 40
)

// A ShownExpression is an expression or a rule that one execution evaluated: what it
// read, and what it came to. Values beyond 2 kB are cut to text.
type ShownExpression struct {
	Graph string                     `json:"graph,omitempty"` // the saved graph that it is in, called by that of the run
	Path  string                     `json:"path"`            // in the document of the graph
	Line  int                        `json:"line"`
	Text  string                     `json:"text"` // JSONata, or the JSON Logic of a rule
	Reads map[string]json.RawMessage `json:"reads,omitempty"`
	Value json.RawMessage            `json:"value,omitempty"`
	Error string                     `json:"error,omitempty"`
}
