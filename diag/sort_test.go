package diag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
)

// TestSortLeavesTheList: a sorted list is another one, without repeats.
func TestSortLeavesTheList(t *testing.T) {
	at := func(offset int) diag.Range { return diag.Range{Start: diag.Pos{Offset: offset}} }
	l := diag.List{{Code: "b", Range: at(2)}, {Code: "a", Range: at(1)}, {Code: "b", Range: at(2)}}
	before := diag.List{l[0], l[1], l[2]}
	if diff := cmp.Diff(diag.List{l[1], l[0]}, l.Sort()); diff != "" {
		t.Errorf("sorted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, l); diff != "" {
		t.Errorf("the list itself (-want +got):\n%s", diff)
	}
}
