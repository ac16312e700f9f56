package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// Rename returns src, whose tree is ast, with every reference to node from made
// one to node to, and the edits that do so in order of position. Backticks are
// put where to needs them. Nodes that are named by anything but a
// literal are not found: [Refs.Unknown] and [Refs.WholeRoot] tell.
func Rename(src string, ast *AST, from, to string) (string, []diag.TextEdit) {
	var edits []diag.TextEdit
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
		for range ref.Quoted {
			escaped := types.QuoteString(text)
			text = escaped[1 : len(escaped)-1]
		}
		edits = append(edits, diag.Replace(ref.Start, ref.End, text)...)
	}
	return diag.ApplyEdits(src, edits), edits
}
