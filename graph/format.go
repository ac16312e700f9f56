package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxPasses bounds how often a text is written until it no longer changes.
const maxPasses = 5

// Canonical returns a document in its canonical form: the keys in the order of the format,
// two spaces of indentation, no trailing spaces. Comments, quotes, and what is written in
// brackets or as a block stay as they are. order lists the keys of a node of a type;
// "" in it is where other keys are. A document whose meaning or comments would change,
// and one with faults of syntax or shape, is an error.
func Canonical(name, text string, order func(nodeType string) []string) (string, error) {
	before, err := formattable(name, text)
	if err != nil {
		return "", err
	}
	doc := before
	for range maxPasses {
		out := doc.canonical(order)
		after, err := formattable(name, out)
		if err != nil {
			return "", fmt.Errorf("the canonical form cannot be read: %w", err)
		}
		switch {
		case !sameData(before.Root.n, after.Root.n):
			return "", errors.New("the canonical form would mean something else")
		case !slices.Equal(before.commentTexts(), after.commentTexts()):
			return "", errors.New("the canonical form would lose a comment")
		case out == doc.Src:
			return out, nil
		}
		doc = after
	}
	return "", errors.New("the document has no stable canonical form")
}

// formattable parses a document that has no faults.
func formattable(name, text string) (*Document, error) {
	doc, found := Parse(name, text)
	if found = found.With(diag.Error); len(found) > 0 {
		return nil, fmt.Errorf("line %d: %s", found[0].Range.Start.Line, found[0].Message)
	}
	return doc, nil
}

// sameData compares values; the order of keys does not matter.
func sameData(a, b *node) bool {
	if a.kind != b.kind || Kind(a.kind) != Array && Kind(a.kind) != Object && a.text != b.text || len(a.kids) != len(b.kids) {
		return false
	}
	if Kind(a.kind) != Object {
		return slices.EqualFunc(a.kids, b.kids, sameData)
	}
	for i := 0; i < len(a.kids); i += 2 {
		other := Value{b}.Get(a.kids[i].text)
		if !other.Exists() || !sameData(a.kids[i+1], other.n) {
			return false
		}
	}
	return true
}

// A formatter writes a document in its canonical form.
type formatter struct {
	*Document
	out  strings.Builder
	keys map[*node][]string // the order of a map's keys

	header []comment           // above the first key
	lead   map[*node][]comment // on the lines above a member or an item, by its value
	trail  map[*node]comment   // after it on its line
	foot   map[*node][]comment // after the last member or item of a collection
}

// canonical is the document in its canonical form.
func (d *Document) canonical(order func(string) []string) string {
	f := &formatter{Document: d, keys: keyOrders(d, order)}
	if d.Format == JSON {
		f.json(d.Root.n, 0)
		return f.out.String() + "\n"
	}
	f.attach()
	for i, c := range f.header {
		f.blank(i > 0, c.start)
		f.out.WriteString(c.text + "\n")
	}
	if root := d.Root.n; root.style == block {
		f.blank(len(f.header) > 0, root.kids[0].first())
		f.collection(root, 0)
	} else {
		f.out.WriteString(f.bracketed(root, 0, d.yamlColumn(int(root.start))))
		f.trailing(root)
	}
	for _, c := range f.foot[nil] {
		f.blank(true, c.start)
		f.out.WriteString(c.text + "\n")
	}
	return f.out.String()
}

// collection writes the members or items of a block at a column.
func (f *formatter) collection(n *node, column int) {
	for i, v := range f.ordered(n) {
		f.above(v, column, i > 0)
		f.pad(column)
		if Kind(n.kind) == Object {
			f.out.WriteString(n.kids[v.index-1].source() + ":")
			f.value(v, column, false)
			continue
		}
		f.out.WriteString("-")
		f.value(v, column, true)
	}
	for _, c := range f.foot[n] {
		f.blank(true, c.start)
		f.pad(column)
		f.out.WriteString(c.text + "\n")
	}
}

// above writes the comments above a member or an item, and keeps one empty line.
func (f *formatter) above(v *node, column int, later bool) {
	lead := f.lead[v]
	for _, c := range lead {
		f.blank(later, c.start)
		f.pad(column)
		f.out.WriteString(c.text + "\n")
		later = true
	}
	if f.leads(v.first()) {
		f.blank(later, v.first())
	}
}

// blank writes an empty line if there is one above at.
func (f *formatter) blank(allowed bool, at int) {
	if strings.HasSuffix(f.out.String(), "\n\n") {
		return // the empty lines of a text that keeps them
	}
	if start := f.lineStart(at); allowed && start > 0 && f.Src[f.lineStart(start-1):start] != "" && strings.Trim(f.Src[f.lineStart(start-1):start], " \t\r\n") == "" {
		f.out.WriteByte('\n')
	}
}

// value writes what follows the colon or dash of a collection at a column.
func (f *formatter) value(v *node, column int, item bool) {
	switch v.style {
	case block:
		if item {
			f.inItem(v, column+2)
			return
		}
		f.trailing(v)
		f.collection(v, column+2)
		return
	case empty:
	case literal, folded:
		f.out.WriteByte(' ')
		f.blockScalar(v, column+2)
		return
	case flow, bare:
		f.out.WriteByte(' ')
		f.out.WriteString(f.bracketed(v, column, f.yamlColumn(v.first())))
	default:
		f.out.WriteString(" " + reindented(v.source(), func(string, int) int { return column + 2 }))
	}
	f.trailing(v)
}

// inItem writes the members or items of an item, the first of them after the dash.
func (f *formatter) inItem(v *node, column int) {
	var rest formatter
	rest.Document, rest.keys, rest.lead, rest.trail, rest.foot = f.Document, f.keys, f.lead, f.trail, f.foot
	rest.collection(v, column)
	f.out.WriteString(strings.TrimPrefix(rest.out.String(), strings.Repeat(" ", column-1)))
}

// trailing writes the comment after a value, and ends the line.
func (f *formatter) trailing(v *node) {
	if c, ok := f.trail[v]; ok {
		f.out.WriteString(" " + c.text)
	}
	f.out.WriteByte('\n')
}

func (f *formatter) pad(column int) {
	for range column {
		f.out.WriteByte(' ')
	}
}

// blockScalar writes a block scalar with its text at a column.
func (f *formatter) blockScalar(v *node, column int) {
	head, body, _ := strings.Cut(f.Src[v.start:f.blockEnd(v)], "\n")
	head = strings.TrimRight(head, " \t\r")
	indicator := strings.IndexFunc(head[:min(3, len(head))], func(r rune) bool { return r >= '1' && r <= '9' })
	if !strings.Contains(head, "+") {
		body = strings.TrimSuffix(body, "\n")
	}
	lines := strings.Split(body, "\n")
	indent := -1
	if indicator > 0 {
		indent = f.parentColumn(v) + int(head[indicator]-'0')
		head = head[:indicator] + "2" + head[indicator+1:]
	} else {
		for _, line := range lines {
			if text := strings.TrimLeft(line, " "); strings.TrimRight(text, "\r") != "" {
				indent = len(line) - len(text)
				break
			}
		}
	}
	f.out.WriteString(head + "\n")
	if body == "" {
		return
	}
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if len(line) > max(indent, 0) {
			f.pad(column)
			f.out.WriteString(line[max(indent, 0):])
		}
		f.out.WriteByte('\n')
	}
}

// blockEnd is the offset after a block scalar, and after the empty lines that it keeps.
func (f *formatter) blockEnd(v *node) int {
	end := v.stop()
	if head := f.Src[v.start:]; !strings.Contains(head[:min(3, len(head))], "+") {
		return end
	}
	for at := f.nextLine(end); at < len(f.Src) && f.trails(at); at = f.nextLine(at) {
		end = f.lineEnd(at)
	}
	return end
}

// parentColumn is the column of the collection that holds a value.
func (f *formatter) parentColumn(v *node) int {
	if v.parent == nil {
		return 0
	}
	return f.yamlColumn(int(v.parent.start))
}

// source is the text of a value.
func (n *node) source() string { return n.doc.Src[n.start:n.stop()] }

// reindented is a text with every line but the first at the column that to says of it,
// without trailing spaces.
func reindented(text string, to func(line string, column int) int) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i < len(lines)-1 {
			line = strings.TrimRight(line, " \t\r")
		}
		if i > 0 {
			bare := strings.TrimLeft(line, " \t")
			if column := len(line) - len(bare); bare != "" {
				bare = strings.Repeat(" ", to(bare, column)) + bare
			}
			line = bare
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
