package graph

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Mistakes that models make around or in a document: Markdown fences, comments in
// JSON, missing closing brackets. They are looked for only when a document cannot
// be read.

// fenced reports a document inside a Markdown fence.
func (d *Document) fenced() diag.List {
	const fence = "```"
	open := -1
	for at := 0; at < len(d.Src); at = d.nextLine(at) {
		if strings.HasPrefix(strings.TrimLeft(d.Src[at:d.lineEnd(at)], " "), fence) {
			open = at
			break
		}
	}
	if open < 0 {
		return nil
	}
	from := d.nextLine(open)
	edits := []diag.TextEdit{{Start: 0, End: from}}
	fences := 0
	for at := from; at < len(d.Src); at = d.nextLine(at) {
		if strings.HasPrefix(strings.TrimLeft(d.Src[at:d.lineEnd(at)], " "), fence) {
			if fences++; fences == 1 {
				edits = append(edits, diag.TextEdit{Start: at, End: len(d.Src)})
			}
		}
	}
	var l diag.List
	x := l.Report(ruleSyntax, "", d.lines.span(open, d.lineEnd(open)), "the document is inside a Markdown fence")
	x.Hint = "send only the text between the fences"
	if fences < 2 { // what is around the first block may be the rest of the graph
		x.Fixes = []diag.Fix{{Title: "remove the fence and the text around it", Edits: edits}}
	}
	return l
}

// commented returns the fix that removes JavaScript's comments from JSON.
func (d *Document) commented() diag.Fix {
	fix := diag.Fix{Title: "remove the comments"}
	src := d.Src
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(src[i:], "//"):
			end := d.lineEnd(i)
			fix.Edits = append(fix.Edits, diag.TextEdit{Start: i, End: end})
			i = end
		case strings.HasPrefix(src[i:], "/*"):
			end := strings.Index(src[i:], "*/")
			if end < 0 {
				return diag.Fix{}
			}
			fix.Edits = append(fix.Edits, diag.TextEdit{Start: i, End: i + end + 2})
			i += end + 1
		}
	}
	return fix
}

// closed returns the fix that closes the brackets that are open at the end of a
// JSON text. It is empty if they do not match or a string is open.
func (d *Document) closed() diag.Fix {
	var open []byte
	src := d.Src
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			if i >= len(src) {
				return diag.Fix{}
			}
		case '{':
			open = append(open, '}')
		case '[':
			open = append(open, ']')
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return diag.Fix{}
			}
			open = open[:len(open)-1]
		}
	}
	text := []byte{}
	for i := range open {
		text = append(text, open[len(open)-1-i])
	}
	at := len(strings.TrimRight(src, " \t\r\n"))
	return diag.Fix{Title: "close with " + string(text), Edits: []diag.TextEdit{{Start: at, End: at, New: string(text)}}}
}

// parsesWith reports whether the document with f is JSON up to its end.
func (d *Document) parsesWith(f diag.Fix) bool {
	if len(f.Edits) == 0 || len(d.Src) > repairBytes {
		return false
	}
	src := diag.ApplyEdits(d.Src, f.Edits)
	after := &Document{Src: src, Format: JSON, lines: newLines(src)}
	_, fatal := after.readJSON(context.Background())
	return !fatal
}
