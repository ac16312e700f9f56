package graph

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A comment is one comment of a document, from its # to the end of the line.
type comment struct {
	start  int
	column int
	own    bool // on a line of its own
	text   string
}

// comments lists the comments of a YAML document, in order; those after the headers of
// block scalars, and those in brackets, are parts of the texts there.
func (d *Document) comments() []comment {
	var scalars []*node
	var walk func(n *node)
	walk = func(n *node) {
		if len(n.kids) == 0 && n.style != empty {
			scalars = append(scalars, n)
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(d.Root.n)
	var list []comment
	for at := 0; at < len(d.Src); {
		if len(scalars) > 0 && at >= int(scalars[0].start) {
			at, scalars = max(at, scalars[0].stop()), scalars[1:]
			continue
		}
		if d.Src[at] != '#' || at > 0 && strings.IndexByte(" \t\r\n", d.Src[at-1]) < 0 {
			at++
			continue
		}
		end := d.lineEnd(at)
		list = append(list, comment{start: at, column: d.yamlColumn(at), own: d.leads(at), text: strings.TrimRight(d.Src[at:end], " \t")})
		at = end
	}
	return list
}

// commentTexts lists the comments of a document, sorted.
func (d *Document) commentTexts() []string {
	if d.Format == JSON {
		return nil
	}
	texts := lists.Each(d.comments(), func(c comment) string { return c.text })
	slices.Sort(texts)
	return texts
}

// attach files each comment at the member, the item or the collection that it is about.
func (f *formatter) attach() {
	f.lead, f.trail, f.foot = map[*node][]comment{}, map[*node]comment{}, map[*node][]comment{}
	units := f.units()
	for _, c := range f.comments() {
		next := sort.Search(len(units), func(i int) bool { return units[i].first() > c.start })
		var last *node
		if next > 0 {
			last = units[next-1]
		}
		switch {
		case last != nil && last.style != block && c.start < int(last.start) && c.own:
			f.lead[last] = append(f.lead[last], c) // between a key and its value
		case last != nil && last.style != block && int(last.start) < c.start && c.start < last.stop():
			// in brackets, of whose text it is a part
		case !c.own && last != nil && f.isFirst(last):
			f.lead[last] = append(f.lead[last], c) // after the dash of an item
		case !c.own && last != nil:
			f.trail[last] = c
		case last == nil && f.Root.n.style == block, next == 0:
			f.header = append(f.header, c)
		case next < len(units) && c.column <= f.yamlColumn(units[next].first()):
			f.lead[units[next]] = append(f.lead[units[next]], c)
		default:
			of := f.enclosing(last, c.column)
			f.foot[of] = append(f.foot[of], c)
		}
	}
}

// units lists the values that have lines of their own, in the order of the source: the
// members and items of blocks.
func (f *formatter) units() []*node {
	var list []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n.style != block {
			return
		}
		for i, k := range n.kids {
			if Kind(n.kind) == Array || i%2 == 1 {
				list = append(list, k)
				walk(k)
			}
		}
	}
	walk(f.Root.n)
	if len(list) == 0 {
		list = append(list, f.Root.n)
	}
	return list
}

// isFirst reports whether a value is an item that is a block.
func (f *formatter) isFirst(n *node) bool {
	return n.parent != nil && Kind(n.parent.kind) == Array && n.style == block
}

// enclosing is the innermost collection around a value, or the value itself, that is not
// to the right of a column, or nil.
func (f *formatter) enclosing(n *node, column int) *node {
	for ; n != nil; n = n.parent {
		if n.style == block && f.yamlColumn(int(n.start)) <= column {
			return n
		}
	}
	if f.Root.n.style == block {
		return f.Root.n
	}
	return nil
}
