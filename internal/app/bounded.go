package app

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxPathBytes is the longest JSON Pointer in a patch of a reply: only a key of
// kilobytes makes a longer one.
const maxPathBytes = 4 << 10

// bounded returns a diagnostic for a reply, in which names that are as long as a
// document are cut. A fix whose patch has such a name is left without the patch;
// apply_fixes can still apply it.
func bounded(d *diag.Diagnostic) *diag.Diagnostic {
	short := *d
	short.Path, short.Node = diag.Brief(d.Path), diag.Brief(d.Node)
	short.Message, short.Hint = diag.Brief(d.Message), diag.Brief(d.Hint)
	short.Related = slices.Clone(d.Related)
	for i, r := range d.Related {
		short.Related[i].Path, short.Related[i].Message = diag.Brief(r.Path), diag.Brief(r.Message)
	}
	short.Fixes = slices.Clone(d.Fixes)
	for i, f := range d.Fixes {
		short.Fixes[i].Title = diag.Brief(f.Title)
		if slices.ContainsFunc(f.Patch, func(op diag.PatchOp) bool { return len(op.Path) > maxPathBytes || len(op.From) > maxPathBytes }) {
			short.Fixes[i].Patch = nil
		}
	}
	return &short
}
