package jsonata

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/pieces"
	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// What does much in one call does it piece by piece, so that a cancelled evaluation ends
// soon. Between two pieces it looks whether it may continue.
const (
	pieceBytes = 64 << 10
	pieceItems = 4096
)

// pieces calls f with the pieces of a text in order. None ends within a character.
func (e *Evaluator) pieces(s string, f func(piece string)) {
	for len(s) > pieceBytes {
		end := endOfPiece(s)
		f(s[:end])
		s = s[end:]
		e.look()
	}
	f(s)
}

// endOfPiece is where the first piece of a longer text ends.
func endOfPiece(s string) int {
	end := pieceBytes
	for end > pieceBytes-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return end
}

// mapped is a text of which f has made each piece.
func (e *Evaluator) mapped(s string, f func(piece string) string) string {
	if len(s) <= pieceBytes {
		return f(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	e.pieces(s, func(piece string) { b.WriteString(f(piece)) })
	return b.String()
}

// write appends a text to b.
func (e *Evaluator) write(b *strings.Builder, text string) {
	if len(text) > pieceBytes {
		text = e.writePieces(b, text)
	}
	b.WriteString(text)
}

// writePieces appends a long text to b but for its last piece, which it returns.
func (e *Evaluator) writePieces(b *strings.Builder, text string) (last string) {
	for len(text) > pieceBytes {
		b.WriteString(text[:pieceBytes])
		text = text[pieceBytes:]
		e.look()
	}
	return text
}

// textOf is a copy of bytes.
func (e *Evaluator) textOf(text []byte) string {
	if len(text) <= pieceBytes {
		return string(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		n := min(len(text), pieceBytes)
		b.Write(text[:n])
		text = text[n:]
		e.look()
	}
	return b.String()
}

// repeat writes a text n times.
func (e *Evaluator) repeat(b *strings.Builder, text string, n int) {
	each := max(pieceBytes/max(len(text), 1), 1)
	if n <= each {
		b.WriteString(strings.Repeat(text, n))
		return
	}
	piece := strings.Repeat(text, each)
	b.Grow(n * len(text))
	for ; n >= each; n -= each {
		b.WriteString(piece)
		e.look()
	}
	b.WriteString(piece[:n*len(text)])
}

// characters counts the characters of a text.
func (e *Evaluator) characters(s string) int {
	if len(s) <= pieceBytes {
		return runeCount(s)
	}
	n := 0
	e.pieces(s, func(piece string) { n += runeCount(piece) })
	return n
}

// offset is where the n-th character of a text begins, from 0, or its length.
func (e *Evaluator) offset(s string, n int) int {
	at := 0
	e.pieces(s, func(piece string) {
		if n <= 0 {
			return
		}
		if count := runeCount(piece); count <= n {
			n -= count
			at += len(piece)
			return
		}
		for i := 0; ; n-- {
			if n == 0 {
				at += i
				n = -1
				return
			}
			_, size := regex.DecodeRune(piece[i:])
			i += size
		}
	})
	return at
}

// appended appends items.
func (e *Evaluator) appended(items, more []any) []any {
	items = pieces.Grow(items, len(more))
	for len(more) > pieceItems {
		items = append(items, more[:pieceItems]...)
		more = more[pieceItems:]
		e.look()
	}
	return append(items, more...)
}

// copied is a copy of an array.
func (e *Evaluator) copied(items []any) []any {
	return e.appended(make([]any, 0, len(items)), items)
}

// gathered are the items of g.
func (e *Evaluator) gathered(g *gathering) []any {
	return g.items(e.ctx, func() bool { e.look(); return true })
}

// manyItems is for how many items the system may take milliseconds to give memory.
const manyItems = 500_000

// emptyItems is an array with room for n items, or nil if ctx ends before there is any.
func emptyItems(ctx context.Context, n int) []any {
	if n < manyItems {
		return make([]any, 0, n)
	}
	made := make(chan []any, 1)
	go func() { made <- make([]any, 0, n) }()
	select {
	case items := <-made:
		return items
	case <-ctx.Done():
		return nil
	}
}

// A gathering collects the items of an array of which nobody knows how long it is.
type gathering struct {
	full [][]any
	last []any
}

func (g *gathering) add(item any) {
	if len(g.last) == pieceItems {
		g.full = append(g.full, g.last)
		g.last = make([]any, 0, pieceItems)
	}
	g.last = append(g.last, item)
}

func (g *gathering) len() int { return len(g.full)*pieceItems + len(g.last) }

// items are all items, as long as on holds, which is asked now and then.
func (g *gathering) items(ctx context.Context, on func() bool) []any {
	switch {
	case g.last == nil:
		return emptyArray()
	case g.full == nil:
		return g.last
	}
	items := emptyItems(ctx, g.len()+1)
	if items == nil && !on() {
		return nil
	}
	for _, piece := range g.full {
		if items = append(items, piece...); !on() {
			return nil
		}
	}
	return append(items, g.last...)
}
