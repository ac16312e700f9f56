package graph

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// renameNode changes an id, the edges that name it, and the references in
// expressions and rules.
func (e *editor) renameNode(id, newID string) *diag.Fault {
	n, fault := e.node(id, "/id")
	if fault != nil {
		return fault
	}
	if newID == "" || slices.Contains(e.ids, newID) {
		return diag.BadArgument("/new_id", "choose a free id", "%q cannot be the new id: it is empty or taken", newID)
	}
	e.change(n.Get("id").Replace("", newID))
	for _, other := range e.nodes.Items() {
		edges(other, func(_ string, target Value) {
			if target.Text() == id {
				e.change(target.Replace("", newID))
			}
		})
		for _, key := range other.Keys() {
			e.renameRefs(other.Get(key), key, id, newID)
		}
	}
	return nil
}

// renameRefs renames references in every expression below a value: the texts
// under expr, those a rule's var reads, and legacy arguments.
func (e *editor) renameRefs(v Value, key, id, newID string) {
	switch {
	case v.Is(String):
		legacy := strings.HasPrefix(v.Text(), "$.")
		if key != "expr" && key != "var" && !legacy {
			return
		}
		ast, err := jsonata.Parse(v.Text())
		if err != nil {
			return
		}
		if _, edits := jsonata.Rename(v.Text(), ast, id, newID); len(edits) > 0 {
			changes := make([]diag.TextEdit, len(edits))
			for i, edit := range edits {
				changes[i] = diag.TextEdit{Start: edit.Start, End: edit.End, New: edit.New}
			}
			e.change(v.ReplaceText("rename "+id, changes...))
		}
	case v.Is(List):
		for _, item := range v.Items() {
			e.renameRefs(item, key, id, newID)
		}
	case v.Is(Map):
		for _, k := range v.Keys() {
			e.renameRefs(v.Get(k), k, id, newID)
		}
	}
}
