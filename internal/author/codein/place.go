package codein

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A refusal ends the compilation.
type refusal struct{ d *diag.Diagnostic }

func (c *compiler) fail(r *diag.Rule, at span, hint, format string, args ...any) {
	var l diag.List
	d := l.Report(r, "", c.code.place(at), format, args...)
	d.Hint = hint
	panic(refusal{d})
}

// refuse reports code that is not supported, with a rewrite that is.
func (c *compiler) refuse(at ast.Node, rewrite, format string, args ...any) (none value) {
	c.fail(ruleSubset, spanOf(at), rewrite, format, args...)
	return none
}

// mistyped reports that types do not fit, or are not known. In a pass of settle, whose types
// are not all known yet, it returns a value of no type.
func (c *compiler) mistyped(at ast.Node, rewrite, format string, args ...any) value {
	if c.tentative > 0 {
		c.doubts++
		return never
	}
	c.fail(ruleType, spanOf(at), rewrite, format, args...)
	return never
}

func spanOf(n ast.Node) span {
	if n == nil {
		return span{0, 1}
	}
	return span{int(n.Idx0()) - 1, int(n.Idx1()) - 1}
}

// place is a span as lines and columns; one of several lines is its first.
func (code *Code) place(at span) diag.Range {
	start := max(0, min(at.start, len(code.Text)))
	end := max(start, min(at.end, len(code.Text)))
	if i := strings.IndexByte(code.Text[start:end], '\n'); i >= 0 {
		end = start + i
	}
	return diag.Range{Start: position(code.Text, start), End: position(code.Text, end)}
}

func position(text string, at int) diag.Pos {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	return diag.Pos{Line: strings.Count(text[:at], "\n") + 1, Column: utf8.RuneCountInString(text[line:at]) + 1, Offset: at}
}

// offset returns the byte of a line and a column, both from 1.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return min(len(text), at+max(0, column-1))
}

// source returns the text of a part of the code in one line, cut short.
func (c *compiler) source(n ast.Node) string {
	at := spanOf(n)
	if at.start < 0 || at.end > len(c.code.Text) || at.start >= at.end {
		return "the value"
	}
	return diag.Cut(diag.OneLine(c.code.Text[at.start:at.end]), 40)
}

// line returns the line on which a part of the code begins.
func (c *compiler) line(n ast.Node) int { return position(c.code.Text, max(0, spanOf(n).start)).Line }

// Located returns findings about the compiled graph as findings about the code. What is
// not an error in what the compiler wrote is left out.
func (code *Code) Located(doc *graph.Document, found diag.List) diag.List {
	located := append(diag.List{}, code.Found...)
	for _, d := range found {
		at, ok := code.spanOf(doc, d)
		if !ok && d.Severity != diag.Error {
			continue
		}
		moved := *d
		moved.Range, moved.Fixes, moved.Related = code.place(at), nil, nil
		located = append(located, &moved)
	}
	return located
}

// spanOf is the code of the node that a finding is about, and whether the author wrote it.
func (code *Code) spanOf(doc *graph.Document, d *diag.Diagnostic) (span, bool) {
	steps := strings.Split(d.Path, "/")
	for i := 0; doc != nil && i+1 < len(steps); i++ {
		n, err := strconv.Atoi(steps[i+1])
		if steps[i] != "nodes" || err != nil {
			continue
		}
		tools, of := doc.Tools(), 0
		if i > 1 && steps[i-2] == "tools" {
			of, _ = strconv.Atoi(steps[i-1])
		}
		if of >= len(tools) || n >= len(tools[of].Nodes) {
			break
		}
		node := tools[of].Nodes[n]
		at, known := code.spans[tools[of].Name.Text()+"/"+node.ID.Text()]
		return at, known && (node.Type.Text() == specs.MCP || node.Type.Text() == specs.Graph) && d.Code != "unused-output"
	}
	return span{0, 1}, !strings.Contains(d.Path, "/nodes") && !strings.HasSuffix(d.Path, "description") && d.Path != ""
}

// where begins the message of a check that is made when the graph runs.
func (c *compiler) where(n ast.Node, what string) string {
	return quote(fmt.Sprintf("line %d: %s %s", c.line(n), c.source(n), what))
}
