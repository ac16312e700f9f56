package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/expr"
)

// history is what the history functions of expressions read.
type history struct {
	all  []execution
	byID map[string][]int
}

type execution struct {
	node   string
	output expr.Value
}

// fork returns a history that begins with h and is its own from then on.
func (h *history) fork() *history {
	f := &history{all: slices.Clip(h.all), byID: make(map[string][]int, len(h.byID))}
	for id, at := range h.byID {
		f.byID[id] = slices.Clip(at)
	}
	return f
}

func (h *history) add(id string, output expr.Value) {
	h.byID[id] = append(h.byID[id], len(h.all))
	h.all = append(h.all, execution{id, output})
}

// Previous returns the output n executions back, 1 being the last.
func (h *history) Previous(n int) (expr.Value, bool) {
	if n < 1 || n > len(h.all) {
		return nil, false
	}
	return h.all[len(h.all)-n].output, true
}

// Count returns how often a node has completed.
func (h *history) Count(id string) int { return len(h.byID[id]) }

// Execution returns the output of a node's i-th completed run, 0 being the first
// and -1 the last.
func (h *history) Execution(id string, i int) (expr.Value, bool) {
	runs := h.byID[id]
	if i < 0 {
		i += len(runs)
	}
	if i < 0 || i >= len(runs) {
		return nil, false
	}
	return h.all[runs[i]].output, true
}

// Executions returns the outputs of all of a node's completed runs.
func (h *history) Executions(id string) []expr.Value {
	outputs := make([]expr.Value, 0, len(h.byID[id]))
	for _, i := range h.byID[id] {
		outputs = append(outputs, h.all[i].output)
	}
	return outputs
}
