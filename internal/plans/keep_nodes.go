package plans

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// Applicable returns the diagnostics whose first fix may be applied without
// asking: all but those whose fix would leave fewer nodes. To remove a node is
// its author's decision.
func (c *Checked) Applicable() diag.List {
	if c.Doc == nil {
		return c.Found
	}
	kept := make(diag.List, 0, len(c.Found))
	for _, d := range c.Found {
		if len(d.Fixes) == 0 || !removesNodes(c.Doc, d.Fixes[0]) {
			kept = append(kept, d)
		}
	}
	return kept
}

// removesNodes reports whether a fix takes away more nodes than it adds.
func removesNodes(doc *graph.Document, fix diag.Fix) bool {
	removed := 0
	for _, op := range fix.Patch {
		if op.Op == "remove" || op.Op == "replace" {
			removed += countNodes(op.Path, doc.Root.At(op.Path).JSON())
		}
	}
	if removed == 0 {
		return false
	}
	for _, op := range fix.Patch {
		if op.Op != "add" && op.Op != "replace" {
			continue
		}
		if b, err := json.Marshal(op.Value); err == nil {
			removed -= countNodes(op.Path, b)
		}
	}
	return removed > 0
}

// nodeLists are the keys of collections whose members are nodes, in this format
// and in those of other systems.
var nodeLists = map[string]bool{"nodes": true, "steps": true, "tasks": true, "actions": true, "states": true, "jobs": true, "stages": true}

// countNodes counts what looks like a node in the JSON of the value at a path of
// a document.
func countNodes(path string, b []byte) int {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return 0
	}
	parts := strings.Split(path, "/")
	in := func(up int) bool { return len(parts) > up && nodeLists[parts[len(parts)-1-up]] }
	return nodesIn(v, in(0), in(1))
}

// nodesIn counts the nodes in a value; list says that it is a collection of nodes,
// member that it is a member of one.
func nodesIn(v any, list, member bool) int {
	count := 0
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			count += nodesIn(item, false, list)
		}
	case map[string]any:
		if member || looksLikeNode(v) {
			count++
		}
		for key, m := range v {
			count += nodesIn(m, nodeLists[key], list)
		}
	}
	return count
}

// looksLikeNode reports whether a map has two of the three keys that nodes of
// every type have. An edge has its source and its target as well.
func looksLikeNode(m map[string]any) bool {
	for _, ends := range [][2]string{{"from", "to"}, {"source", "target"}} {
		if m[ends[0]] != nil && m[ends[1]] != nil {
			return false
		}
	}
	found := 0
	for _, key := range []string{"id", "type", "next"} {
		if _, ok := m[key].(string); ok {
			found++
		}
	}
	return found > 1
}
