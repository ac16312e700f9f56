package run

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/expr"
)

// History is what the history functions of expressions read.
type History struct {
	All  []execution
	ByID map[string][]int
}

type execution struct {
	Node   string
	Output expr.Value
}

// Fork returns a history that begins with h and is its own from then on.
func (h *History) Fork() *History {
	f := &History{All: slices.Clip(h.All), ByID: make(map[string][]int, len(h.ByID))}
	for id, at := range h.ByID {
		f.ByID[id] = slices.Clip(at)
	}
	return f
}

// Add appends a completed execution of a node.
func (h *History) Add(id string, output expr.Value) {
	h.ByID[id] = append(h.ByID[id], len(h.All))
	h.All = append(h.All, execution{id, output})
}

// Previous returns the output n executions back, 1 being the last.
func (h *History) Previous(n int) (expr.Value, bool) {
	if n < 1 || n > len(h.All) {
		return nil, false
	}
	return h.All[len(h.All)-n].Output, true
}

// Count returns how often a node has completed.
func (h *History) Count(id string) int { return len(h.ByID[id]) }

// Execution returns the output of a node's i-th completed run, 0 being the first
// and -1 the last.
func (h *History) Execution(id string, i int) (expr.Value, bool) {
	runs := h.ByID[id]
	if i < 0 {
		i += len(runs)
	}
	if i < 0 || i >= len(runs) {
		return nil, false
	}
	return h.All[runs[i]].Output, true
}

// Executions returns the outputs of all of a node's completed runs.
func (h *History) Executions(id string) []expr.Value {
	outputs := make([]expr.Value, 0, len(h.ByID[id]))
	for _, i := range h.ByID[id] {
		outputs = append(outputs, h.All[i].Output)
	}
	return outputs
}
