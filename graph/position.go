package graph

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

const bom = "\ufeff"

// runeBlock is the distance in bytes between two entries of lines.runes: what a
// column costs to compute is bounded by it, however long the line.
const runeBlock = 1024

// lines turns byte offsets of a text into lines and columns.
type lines struct {
	src    string
	starts []int32 // byte offset of each line
	runes  []int32 // runes before each multiple of runeBlock
}

func newLines(src string) lines {
	l := lines{src: src, starts: make([]int32, 1, 1+strings.Count(src, "\n"))}
	for at := 0; ; {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		l.starts = append(l.starts, int32(at))
	}
	l.runes = make([]int32, 0, len(src)/runeBlock+1)
	for at, n := 0, 0; at <= len(src); at += runeBlock {
		l.runes = append(l.runes, int32(n))
		n += leads(src[at:min(at+runeBlock, len(src))])
	}
	return l
}

// leads counts the bytes of s that start a rune.
func leads(s string) int {
	n := 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

// before counts the runes that start before off.
func (l *lines) before(off int) int {
	b := off / runeBlock
	return int(l.runes[b]) + leads(l.src[b*runeBlock:off])
}

// line returns the index of the line that holds off.
func (l *lines) line(off int) int {
	return sort.Search(len(l.starts), func(i int) bool { return int(l.starts[i]) > off }) - 1
}

// pos returns the place of byte off, which is clamped to the text. A byte order
// mark takes no column.
func (l *lines) pos(off int) diag.Pos {
	off = max(0, min(off, len(l.src)))
	i := l.line(off)
	start := int(l.starts[i])
	col := l.before(off) - l.before(start) + 1
	if i == 0 && off > 0 && strings.HasPrefix(l.src, bom) {
		col--
	}
	return diag.Pos{Line: i + 1, Column: col, Offset: off}
}

func (l *lines) span(from, to int) diag.Range {
	return diag.Range{Start: l.pos(from), End: l.pos(to)}
}

// column returns the 0-based column of off, in runes.
func (l *lines) column(off int) int { return l.pos(off).Column - 1 }
