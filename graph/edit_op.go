package graph

import (
	"encoding/json"
	"maps"
	"slices"
)

// An EditOp is one change of a graph.
type EditOp struct {
	Op        string                     `json:"op"`
	ID        string                     `json:"id,omitempty"`
	NewID     string                     `json:"new_id,omitempty"`
	Node      json.RawMessage            `json:"node,omitempty"`
	After     string                     `json:"after,omitempty"`
	Set       map[string]json.RawMessage `json:"set,omitempty"`
	From      string                     `json:"from,omitempty"`
	To        string                     `json:"to,omitempty"`
	Branch    string                     `json:"branch,omitempty"`
	Port      string                     `json:"port,omitempty"` // the input port that an edge leads to
	Reconnect *bool                      `json:"reconnect,omitempty"`
	Path      string                     `json:"path,omitempty"`
	Value     json.RawMessage            `json:"value,omitempty"`
}

// Singles splits an update_node of several paths into one for each, in order of
// path: each then sees what the one before has made.
func (op EditOp) Singles() []EditOp {
	if op.Op != "update_node" || len(op.Set) < 2 {
		return []EditOp{op}
	}
	paths := slices.Sorted(maps.Keys(op.Set))
	ops := make([]EditOp, len(paths))
	for i, path := range paths {
		ops[i] = op
		ops[i].Set = map[string]json.RawMessage{path: op.Set[path]}
	}
	return ops
}

// OpPath is the JSON Pointer of a part of the i-th operation of a call.
func OpPath(i int, path string) string {
	b, err := json.Marshal(i)
	if err != nil {
		return path
	}
	return "/ops/" + string(b) + path
}
