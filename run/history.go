package run

import (
	"iter"
	"slices"

	"github.com/patchbay-mcp/patchbay/expr"
)

// History is what the history functions of expressions read.
type History struct {
	ByID map[string][]int // the executions of a node, in order

	all blocks[execution]
}

type execution struct {
	Node   string
	Output expr.Value
}

// Fork returns a history that begins with h and is its own from then on.
func (h *History) Fork() *History {
	f := &History{all: h.all.fork(), ByID: make(map[string][]int, len(h.ByID))}
	for id, at := range h.ByID {
		f.ByID[id] = slices.Clip(at)
	}
	return f
}

// Add appends a completed execution of a node.
func (h *History) Add(id string, output expr.Value) {
	h.ByID[id] = append(h.ByID[id], h.all.len())
	h.all.add(execution{id, output})
}

// Len returns how many executions have completed.
func (h *History) Len() int { return h.all.len() }

// After goes over the nodes and outputs of all executions but the first n, in order.
func (h *History) After(n int) iter.Seq2[string, expr.Value] {
	return func(yield func(string, expr.Value) bool) {
		for i := n; i < h.all.len(); i++ {
			if e := h.all.at(i); !yield(e.Node, e.Output) {
				return
			}
		}
	}
}

// Previous returns the output n executions back, 1 being the last.
func (h *History) Previous(n int) (expr.Value, bool) {
	if n < 1 || n > h.all.len() {
		return nil, false
	}
	return h.all.at(h.all.len() - n).Output, true
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
	return h.all.at(runs[i]).Output, true
}

// Executions returns the outputs of all of a node's completed runs.
func (h *History) Executions(id string) []expr.Value {
	outputs := make([]expr.Value, 0, len(h.ByID[id]))
	for _, i := range h.ByID[id] {
		outputs = append(outputs, h.all.at(i).Output)
	}
	return outputs
}
