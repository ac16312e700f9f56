package graph

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// repairBytes is the size of a document up to which repairs are tried: each is
// verified by parsing again.
const repairBytes = 1 << 20

// repair returns the fix of a syntax error at offset at, in a construct that
// began at context, if it is one of the common ones: an expression or text that
// needs quotes, quotes inside quotes, tabs as indentation. It is empty unless
// the document reads past that place with it.
func (d *Document) repair(at, context int) diag.Fix {
	if len(d.Src) > repairBytes {
		return diag.Fix{}
	}
	var tries []diag.Fix
	if at+1 < len(d.Src) && d.Src[at] == '\\' {
		tries = append(tries, diag.Fix{Title: `write the backslash as \\`, Edits: []diag.TextEdit{{Start: at, End: at, New: `\`}}})
	}
	for _, width := range []int{2, 4, 8} {
		if f := d.untabbed(width); len(f.Edits) > 0 {
			tries = append(tries, f)
		}
	}
	tries = append(tries, d.aroundExpression(at)...)
	seen := map[int]bool{}
	for _, place := range []int{at, context, max(0, d.lineStart(at)-1)} {
		line := d.lineStart(place)
		if seen[line] {
			continue
		}
		seen[line] = true
		tries = append(tries, d.inBrackets(line, place)...)
		tries = append(tries, d.onLine(line)...)
	}
	for _, f := range tries {
		if d.helps(f, at) {
			return f
		}
	}
	return diag.Fix{}
}

// helps reports whether the document with f can be read, or at least beyond
// what f touches and where it failed before.
func (d *Document) helps(f diag.Fix, at int) bool {
	src := diag.ApplyEdits(d.Src, f.Edits)
	grown := len(src) - len(d.Src)
	for _, e := range f.Edits {
		at = max(at, e.End)
	}
	after := &Document{Src: src, Format: YAML, lines: newLines(src)}
	l, fatal := after.readYAML(context.Background(), false)
	return !fatal || l[0].Range.Start.Offset > at+grown
}

// untabbed indents with width spaces for each tab.
func (d *Document) untabbed(width int) diag.Fix {
	f := diag.Fix{Title: "indent with spaces"}
	for at := 0; at < len(d.Src); at = d.nextLine(at) {
		end := at
		for blankAt(d.Src, end) {
			end++
		}
		if indent := d.Src[at:end]; strings.Contains(indent, "\t") {
			f.Edits = append(f.Edits, diag.TextEdit{Start: at, End: end, New: strings.ReplaceAll(indent, "\t", strings.Repeat(" ", width))})
		}
	}
	return f
}

// aroundExpression quotes the expression of several lines that at is in, as a
// block where it is not inside brackets.
func (d *Document) aroundExpression(at int) []diag.Fix {
	const mark, far = "expr: ", 50
	line := d.lineStart(at)
	for range far {
		text := d.Src[line:d.lineEnd(line)]
		if i := strings.LastIndex(text, mark); i >= 0 {
			from := line + i + len(mark)
			end := expressionEnd(d.Src, from)
			value := strings.TrimRight(d.Src[from:end], " \t\r\n")
			switch {
			case end < at || !strings.Contains(value, "\n") || strings.IndexByte(`'"|>`, value[0]) >= 0:
				return nil
			case strings.ContainsAny(text[:i], "{["):
				return []diag.Fix{quotedFix("put the expression in single quotes", from, from+len(value), value)}
			}
			return []diag.Fix{d.blocked(from, from+len(value), i+2)}
		}
		if line == 0 {
			break
		}
		line = d.lineStart(line - 1)
	}
	return nil
}

// onLine quotes the value of the first "key: value" on a line.
func (d *Document) onLine(line int) []diag.Fix {
	text := d.Src[line:d.lineEnd(line)]
	colon := strings.Index(text, ": ")
	if colon < 0 || strings.ContainsAny(text[:colon], "{[#,") {
		return nil
	}
	key := strings.TrimLeft(text[:colon], " -")
	from := line + colon + 2
	for blankAt(d.Src, from) {
		from++
	}
	value := d.Src[from:d.lineEnd(line)]
	if i := strings.Index(value, " #"); i >= 0 {
		value = value[:i]
	}
	value = strings.TrimRight(value, " \t")
	if value == "" || value[0] == '|' || value[0] == '>' {
		return nil
	}
	if (value[0] == '{' || value[0] == '[') && key != "expr" {
		return nil
	}
	if q := value[0]; q == '\'' || q == '"' {
		if len(value) > 2 && value[len(value)-1] == q && (q == '\'' || !strings.Contains(value, `\`)) {
			return []diag.Fix{quotedFix("quote the text so that it can hold quotes", from, from+len(value), value[1:len(value)-1])}
		}
		if q == '"' && len(value) > 1 && !strings.Contains(value[1:], `"`) || q == '\'' && !strings.Contains(value[1:], "'") {
			return []diag.Fix{quotedFix("close the quote", from, from+len(value), value[1:])}
		}
	}
	return []diag.Fix{quotedFix("put the text in single quotes", from, from+len(value), value)}
}

func quotedFix(title string, from, to int, text string) diag.Fix {
	return diag.Fix{Title: title, Edits: []diag.TextEdit{{Start: from, End: to, New: singleQuoted(text)}}}
}

// inBrackets quotes the expr that starts before at on its line, up to the
// bracket or comma that ends it. If there is none it quotes the value that at is
// in, unless that looks like an expression: then its key is missing.
func (d *Document) inBrackets(line, at int) []diag.Fix {
	text := d.Src[line:min(at+1, d.lineEnd(line))]
	mark, title := "expr: ", "put the expression in single quotes"
	i := strings.LastIndex(text, mark)
	if i < 0 {
		mark, title = ": ", "put the text in single quotes"
		if i = strings.LastIndex(text, mark); i == len(text)-2 {
			i = strings.LastIndex(text[:max(i, 0)], mark)
		}
		if i < 0 || !strings.ContainsAny(text[:i], "{[") {
			return nil
		}
	}
	from := line + i + len(mark)
	value := strings.TrimRight(d.Src[from:expressionEnd(d.Src, from)], " \t\r\n")
	switch {
	case value == "", strings.IndexByte(`'"`, value[0]) >= 0, strings.Contains(value, "\n"):
		return nil
	case mark == ": " && (strings.Contains(value, "$") || strings.IndexByte("{[", value[0]) >= 0):
		return nil
	}
	return []diag.Fix{quotedFix(title, from, from+len(value), value)}
}

// blocked writes the lines of an expression as a literal block.
func (d *Document) blocked(from, to, indent int) diag.Fix {
	var b strings.Builder
	b.WriteString("|-")
	margin := -1
	lines := strings.Split(strings.ReplaceAll(d.Src[from:to], "\r\n", "\n"), "\n")
	for _, line := range lines[1:] {
		if text := strings.TrimLeft(line, " "); text != "" && (margin < 0 || len(line)-len(text) < margin) {
			margin = len(line) - len(text)
		}
	}
	for i, line := range lines {
		if i > 0 {
			line = line[min(max(margin, 0), len(line)):]
		}
		b.WriteString(d.newline() + strings.Repeat(" ", indent) + line)
	}
	return diag.Fix{Title: "write the expression as a | block", Edits: []diag.TextEdit{{Start: from, End: to, New: b.String()}}}
}

// expressionEnd returns where an expression that starts at from ends: at a comma or
// closing bracket that is not its own, or at the end of a line on which all its
// brackets and quotes are closed.
func expressionEnd(src string, from int) int {
	depth := 0
	for i := from; i < len(src); i++ {
		switch c := src[i]; c {
		case '"', '\'', '`':
			end := i + 1
			for end < len(src) && src[end] != c && src[end] != '\n' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			if end < len(src) && src[end] == c {
				i = end
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(src)
}
