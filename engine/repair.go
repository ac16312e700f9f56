package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// repairRounds bounds how often an expression's repairs are applied: one may lay
// another bare.
const repairRounds = 6

// repaired returns an expression with all its mechanical repairs made, those of
// its syntax and those of its slips. ok is false when it cannot be read even so.
func (p *Pass) repaired(src string) (text string, ok bool) {
	for range repairRounds {
		c, err := p.compileExpr(src)
		var edits []diag.TextEdit
		if err != nil {
			edits = err.Edits
		} else {
			edits = p.slipEdits(c.ast)
			ok = true
		}
		if len(edits) == 0 {
			return src, err == nil
		}
		src = diag.ApplyEdits(src, edits)
	}
	_, err := p.compileExpr(src)
	return src, ok && err == nil
}

// slipEdits joins the edits of an expression's slips, those that overlap earlier
// ones left out.
func (p *Pass) slipEdits(ast *jsonata.AST) []diag.TextEdit {
	var edits []diag.TextEdit
	for _, e := range jsonata.Lint(ast, p.isNode) {
		if !doubtful[e.Code] && !slices.ContainsFunc(e.Edits, func(x diag.TextEdit) bool { return overlapsAny(edits, x) }) {
			edits = append(edits, e.Edits...)
		}
	}
	return edits
}

func overlapsAny(edits []diag.TextEdit, x diag.TextEdit) bool {
	return slices.ContainsFunc(edits, func(e diag.TextEdit) bool {
		return e.Start < x.End && x.Start < e.End || e.Start == x.Start
	})
}

func (p *Pass) isNode(id string) bool { return p.nodeIndex(id) != NoNode }

// exprFix is the fix of a fault of an expression: its own edits, or where they
// lay another repair bare, all of them at once.
func (p *Pass) exprFix(v graph.Value, e *jsonata.Error) (diag.Fix, bool) {
	if len(e.Edits) == 0 || !p.helps() {
		return diag.Fix{}, false
	}
	src := v.Text()
	once := diag.ApplyEdits(src, e.Edits)
	if e.Code == "syntax" {
		if all, ok := p.repaired(once); ok && all != once {
			return v.ReplaceText("write "+oneLine(all), diag.TextEdit{Start: 0, End: len(src), New: all}), true
		}
	}
	return v.ReplaceText(editTitle(src, once, e.Edits), e.Edits...), true
}

// chained returns the whole repair of an expression whose slips lay others bare
// when they are repaired, as a chain of methods does.
func (p *Pass) chained(v graph.Value, ast *jsonata.AST) (diag.Fix, bool) {
	edits := p.slipEdits(ast)
	if len(edits) == 0 || !p.helps() {
		return diag.Fix{}, false
	}
	once := diag.ApplyEdits(v.Text(), edits)
	all, ok := p.repaired(once)
	if !ok || all == once {
		return diag.Fix{}, false
	}
	return v.ReplaceText("write "+oneLine(all), diag.TextEdit{Start: 0, End: len(v.Text()), New: all}), true
}

// oneLine shows an expression in a title.
func oneLine(src string) string { return diag.Cut(diag.OneLine(src), 100) }

// editTitle says what edits of an expression do.
func editTitle(src, after string, edits []diag.TextEdit) string {
	if len(edits) > 1 {
		return "write " + oneLine(after)
	}
	old, text := diag.Cut(src[edits[0].Start:edits[0].End], 40), diag.Cut(edits[0].New, 60)
	switch {
	case old == "":
		return "insert " + text
	case text == "":
		return "remove " + old
	}
	return fmt.Sprintf("change %s to %s", old, text)
}

// objectExpr writes a value of the document as a JSONata constructor: texts that
// are expressions, by their looks or in {expr: …}, become parts of it.
func (p *Pass) objectExpr(v graph.Value) string {
	switch {
	case v.Expr().Exists() && v.Expr().Is(graph.String):
		return v.Expr().Text()
	case v.Is(graph.Object):
		parts := []string{}
		for key, m := range v.Members() {
			parts = append(parts, plainjson.Quote(key)+": "+p.objectExpr(m))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case v.Is(graph.Array):
		parts := lists.Each(v.Items(), p.objectExpr)
		return "[" + strings.Join(parts, ", ") + "]"
	case v.Is(graph.String):
		if source, ok := p.fromTemplate(v.Text()); ok {
			return source
		}
		if strings.HasPrefix(v.Text(), "$") {
			if source, ok := p.repaired(v.Text()); ok {
				return source
			}
		}
	}
	return string(raw(v))
}
