package search

import "slices"

// A wordOrder has the words of names and descriptions of a segment's nodes, as they
// stand.
type wordOrder struct {
	words []uint32 // terms of node i: words[start[i]:start[i+1]]; its name's come first
	start []uint32
	named []uint16 // by node: words of its name
}

// between stands between two texts: words on either side are not neighbours.
const between = ^uint32(0)

// next begins the words of another node.
func (o *wordOrder) next() {
	o.start, o.named = append(o.start, uint32(len(o.words))), append(o.named, 0)
}

// begin begins another text of the node.
func (o *wordOrder) begin(f field) {
	if f == fieldDescription && len(o.words) > int(o.start[len(o.start)-1]) {
		o.words = append(o.words, between)
	}
}

// add notes a word.
func (o *wordOrder) add(f field, term uint32) {
	switch f {
	case fieldName:
		if n := len(o.named) - 1; int(o.named[n]) == len(o.words)-int(o.start[n]) {
			o.named[n]++
			o.words = append(o.words, term)
		}
	case fieldDescription:
		o.words = append(o.words, term)
	}
}

// end closes the table.
func (o *wordOrder) end() {
	o.start = append(o.start, uint32(len(o.words)))
	o.words = slices.Clip(slices.Clone(o.words))
}

// of is the words of a node's name and description.
func (o *wordOrder) of(node int) []uint32 { return o.words[o.start[node]:o.start[node+1]] }

// name is the words of a node's name.
func (o *wordOrder) name(node int) []uint32 { return o.of(node)[:o.named[node]] }
