package graph

import (
	"slices"

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
	e.change(n.ID.Replace("", newID))
	for _, other := range e.tool.Nodes {
		e.rewire(&other, id, newID)
		for _, x := range other.Exprs() {
			e.renameRefs(x, id, newID)
		}
	}
	return nil
}

// renameRefs renames references in an expression, unless it does not parse.
func (e *editor) renameRefs(x Expr, id, newID string) {
	ast, err := jsonata.Parse(x.Text())
	if err != nil {
		return
	}
	if _, edits := jsonata.Rename(x.Text(), ast, id, newID); len(edits) > 0 {
		changes := make([]diag.TextEdit, len(edits))
		for i, edit := range edits {
			changes[i] = diag.TextEdit{Start: edit.Start, End: edit.End, New: edit.New}
		}
		e.change(x.ReplaceText("rename "+id, changes...))
	}
}
