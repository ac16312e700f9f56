package diag_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

// TestApplyLeavesFixesThatTouch takes the one member out of a map and adds another
// behind it: both at once would put the new one where no map is left.
func TestApplyLeavesFixesThatTouch(t *testing.T) {
	src := "args:\n  folder: x\nnext: a\n"
	l := diag.List{
		{Code: "unknown-argument", Fixes: []diag.Fix{{Edits: []diag.TextEdit{{Start: 8, End: 17, New: "{}"}}}}},
		{Code: "missing-argument", Fixes: []diag.Fix{{Edits: []diag.TextEdit{{Start: 17, End: 17, New: "\n  path: x"}}}}},
		{Code: "dangling-edge", Fixes: []diag.Fix{{Edits: []diag.TextEdit{{Start: 24, End: 25, New: "b"}}}}},
	}
	got, applied := diag.Apply(src, l)
	if want := "args:\n  {}\nnext: b\n"; got != want || applied != 2 {
		t.Errorf("%d fixes give %q, want 2 and %q", applied, got, want)
	}
}
