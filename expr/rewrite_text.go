package expr

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// changes are the edits of an expression's text. Opening texts inserted at one place
// are in the order of the calls, closing ones in reverse: outer nodes are handled
// before inner ones.
type changes struct {
	source string
	opens  map[int]string
	closes map[int]string
	gaps   map[int]diag.TextEdit
}

func (c *changes) open(at int, text string) {
	if c.opens == nil {
		c.opens = map[int]string{}
	}
	c.opens[at] += text
}

func (c *changes) close(at int, text string) {
	if c.closes == nil {
		c.closes = map[int]string{}
	}
	c.closes[at] = text + c.closes[at]
}

func (c *changes) wrap(n *jsonata.Node, open, close string) {
	c.open(n.Start, open)
	c.close(n.End, close)
}

// replace puts text where the bytes [start, end) are.
func (c *changes) replace(start, end int, text string) {
	if c.gaps == nil {
		c.gaps = map[int]diag.TextEdit{}
	}
	c.gaps[start] = diag.TextEdit{Start: start, End: end, New: text}
}

// apply returns the bytes [from, to) with the changes made.
func (c *changes) apply(from, to int) string {
	if c.opens == nil && c.closes == nil && c.gaps == nil {
		return c.source[from:to]
	}
	var b strings.Builder
	for i := from; i <= to; {
		b.WriteString(c.closes[i])
		b.WriteString(c.opens[i])
		if gap, ok := c.gaps[i]; ok {
			b.WriteString(gap.New)
			i = gap.End
			continue
		}
		if i < to {
			b.WriteByte(c.source[i])
		}
		i++
	}
	return b.String()
}
