package jsonata

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/types"
)

// Rename returns src, whose tree is ast, with every reference to node from made
// one to node to, and the edits that do so in order of position. Backticks are
// put where to needs them. Nodes that are named by something other than a
// literal are not found: [Refs.Unknown] and [Refs.WholeRoot] tell.
func Rename(src string, ast *AST, from, to string) (string, []Edit) {
	var edits []Edit
	for _, ref := range ast.Refs().Nodes {
		if ref.Node != from {
			continue
		}
		text := types.QuoteName(to)
		switch quoted := src[ref.Start] == '"' || src[ref.Start] == '\''; {
		case ref.Via != viaPath || quoted:
			text = types.QuoteString(to)
		case text[0] == '"' && !strings.HasSuffix(strings.TrimSpace(src[:ref.Start]), "."):
			text = "$." + text
		}
		edits = append(edits, Edit{Start: ref.Start, End: ref.End, New: text})
	}
	return ApplyEdits(src, edits), edits
}

// ApplyEdits returns src with edits made. They may come in any order and must
// not overlap.
func ApplyEdits(src string, edits []Edit) string {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for _, e := range sorted {
		b.WriteString(src[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(src[at:])
	return b.String()
}
