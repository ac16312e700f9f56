// Package flowjson reads and writes WorkflowDefinition JSON, the documents of visual
// editors of workflows: nodes with positions and labels, and edges between them. What has
// no meaning here is kept under ui, so that a document that is read and written again is
// equal to what it was. It compiles nothing.
package flowjson

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/graph"
)

// The keys under which workflows of this form keep what belongs to their editor.
const (
	keyUI    = "ui"
	keyLabel = "label"
)

// own are the members of a definition, its nodes and their data that have a place of
// their own in a document.
var (
	own     = []string{"name", "description", "workflowType", "enabled", "nodes", "edges", "match", "priority"}
	ownNode = []string{"id", "type", "position", "data"}
	ownData = []string{"label", "hook"}
	ownHook = []string{"id", "script", "hookModuleId", "blocking"}
)

// others are the members of a map that are not among some.
func others(v graph.Value, some []string) (rest graph.Members) {
	for key, member := range v.Members() {
		if !slices.Contains(some, key) {
			rest = rest.With(key, member)
		}
	}
	return rest
}

// add appends a member if it is there.
func add(o *graph.Members, key string, v any) {
	switch v := v.(type) {
	case graph.Value:
		if !v.Exists() {
			return
		}
	case graph.Members:
		if len(v) == 0 {
			return
		}
	}
	*o = o.With(key, v)
}
