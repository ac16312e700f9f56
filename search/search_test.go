package search

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

func TestSearchFindsByNameAndDescription(t *testing.T) {
	x := New()
	x.Replace("server:fs", []*specs.Spec{
		{NodeType: "mcp", Subtype: "fs/listDirectory", Description: "Lists the entries of a folder"},
		{NodeType: "mcp", Subtype: "fs/read_file", Description: "Reads one file"},
	})
	for text, want := range map[string]string{
		"list directory":    "mcp:fs/listDirectory",
		"LISTDIRECTORY":     "mcp:fs/listDirectory",
		"entries in folder": "mcp:fs/listDirectory",
		"reading files.":    "mcp:fs/read_file",
	} {
		r, err := x.Search(t.Context(), Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) == 0 || r.Hits[0].Spec.ID() != want {
			t.Errorf("%q: got %v, want %s first", text, r.Hits, want)
		}
	}
}
