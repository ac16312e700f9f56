package graph

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// InsertItems is [Value.Insert] of a list: those items of another list that have the
// given indexes, in that order. Where both are written by indentation the items keep
// their text and the comments above them. The other list stays as it is.
func (v Value) InsertItems(title, key string, from Value, indexes []int, after string) diag.Fix {
	if !from.Is(Array) {
		return diag.Fix{Title: title}
	}
	items := lists.Each(indexes, func(at int) any { return json.RawMessage(Value{from.n.kids[at]}.JSON()) })
	fix := v.Insert(title, key, items, after)
	if !v.Is(Object) || v.Has(key) || len(indexes) == 0 {
		return fix
	}
	if text, ok := v.n.itemsText(key, from.n, indexes); ok {
		last := v.n.kids[len(v.n.kids)-1]
		if k := v.key(after); k != nil {
			last = v.n.kids[k.index+1]
		}
		at := last.close(v.n.doc.yamlColumn(int(v.n.start)))
		return v.n.fixed(title, []diag.TextEdit{{Start: at, End: at, New: "\n" + text}}, fix.Patch...)
	}
	return fix
}

// itemsText is a member of n as text: its key and, on the lines below, items of a list
// with the comments above them.
func (n *node) itemsText(key string, list *node, indexes []int) (string, bool) {
	if n.style != block || n.odd || len(n.kids) == 0 || n.kids[len(n.kids)-1].unfinished() || list.style != block || list.odd {
		return "", false
	}
	d := n.doc
	column, was := d.yamlColumn(int(n.start)), d.yamlColumn(int(list.start))
	indent := strings.Repeat(" ", column)
	lines := []string{indent + keyText(key, false) + ":"}
	for _, i := range indexes {
		text, ok := list.itemLines(i, was)
		if !ok {
			return "", false
		}
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSuffix(line, "\r")
			if line != "" {
				bare, ok := strings.CutPrefix(line, strings.Repeat(" ", was))
				if !ok && strings.TrimSpace(line) != "" {
					return "", false
				}
				line = indent + "  " + bare
			}
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, "\n")
	return text, sameItems(text, key, list, indexes)
}

// itemLines is the text of an item of a list by indentation, in whole lines, with the
// lines above it that do not belong to the item before.
func (n *node) itemLines(i, column int) (string, bool) {
	d, item := n.doc, n.kids[i]
	if !d.leads(item.first()) {
		return "", false
	}
	from := d.lineStart(item.first())
	switch {
	case i > 0:
		from = d.nextLine(n.kids[i-1].close(column))
	case n.parent != nil && n.index > 0:
		from = d.nextLine(n.parent.kids[n.index-1].stop())
	}
	to := item.close(column)
	return d.Src[min(from, to):to], from <= item.first()
}

// sameItems reports whether a text is read as the items.
func sameItems(text, key string, list *node, indexes []int) bool {
	doc, _ := Parse("", text+"\n")
	if doc == nil {
		return false
	}
	read := doc.Root.Get(key)
	if read.Len() != len(indexes) {
		return false
	}
	for i, at := range indexes {
		if !bytes.Equal(Value{read.n.kids[i]}.JSON(), Value{list.kids[at]}.JSON()) {
			return false
		}
	}
	return true
}
