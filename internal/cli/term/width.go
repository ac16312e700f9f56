package term

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// pieces are the characters of a text, and the marks of paint.
var pieces = regexp.MustCompile(`(?s)` + markKey + `.*?` + markEnd + `|.`)

// Columns returns how many columns of a terminal a text takes: two for a wide character, none
// for a combining one and for the marks of paint.
func Columns(text string) (n int) {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return len(text)
	}
	for _, piece := range pieces.FindAllString(text, -1) {
		switch r, _ := utf8.DecodeRuneInString(piece); {
		case isMark(piece), unicode.In(r, unicode.Mn, unicode.Me):
		case slices.Contains([]width.Kind{width.EastAsianWide, width.EastAsianFullwidth}, width.LookupRune(r).Kind()):
			n += 2
		default:
			n++
		}
	}
	return n
}

// isMark reports whether a piece of a text is the beginning or the end of a style.
func isMark(piece string) bool { return strings.HasPrefix(piece, markKey) }

// cutColumns returns a text of at most n columns: of a longer one the beginning and "…". The
// marks of paint stay, so that a style ends.
func cutColumns(text string, n int) string {
	if Columns(text) <= n {
		return text
	}
	var b strings.Builder
	at := 0
	for _, piece := range pieces.FindAllString(text, -1) {
		was := at
		if at += Columns(piece); at < n || isMark(piece) {
			b.WriteString(piece)
		} else if was < n {
			b.WriteString("…")
			at = n
		}
	}
	return b.String()
}

// Pad returns a text in exactly n columns: cut, or with spaces after it.
func Pad(text string, n int) string {
	text = cutColumns(text, n)
	return text + strings.Repeat(" ", n-Columns(text))
}

// WrapHelp wraps a help text, except for examples, which are copied.
func WrapHelp(text string, n int) string {
	var b strings.Builder
	example := false
	for line := range strings.SplitAfterSeq(text, "\n") {
		example = line == "Examples:\n" || example && line != "\n"
		if !example {
			line = wrapLine(line, n, 0)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Wrap breaks the lines of a text that are wider than n columns; 0 is any. Of a source line
// with a caret below it, it leaves the part around the caret.
func Wrap(text string, n int) string {
	if n == 0 {
		return text
	}
	var b strings.Builder
	text = caretLines.ReplaceAllStringFunc(text, func(lines string) string { return cutAroundCaret(lines, n) })
	for line := range strings.SplitAfterSeq(text, "\n") {
		b.WriteString(wrapLine(line, n, 2))
	}
	return b.String()
}

// wrapLine breaks a line that is wider than n columns at spaces. What follows begins below the
// text after the last wide gap of its first half, such as the meaning of a flag, or else hang
// columns further right than the line. A word that is wider stays whole.
func wrapLine(line string, n, hang int) string {
	text, broke := strings.CutSuffix(line, "\n")
	if Columns(text) <= n {
		return line
	}
	start := len(text) - len(strings.TrimLeft(text, " "))
	indent := start + hang
	if at := strings.LastIndex(strings.TrimRight(text[:within(text, n/2)], " "), "  "); at >= start {
		start = at + len("  ")
		indent = Columns(text[:start])
	}
	var b strings.Builder
	for Columns(text) > n {
		end := max(start, within(text, n))
		at := strings.LastIndexByte(text[:min(len(text), end+1)], ' ')
		if at <= start {
			next := strings.IndexByte(text[end:], ' ')
			if next < 0 {
				break
			}
			at = end + next
		}
		b.WriteString(text[:at] + "\n")
		text, start = strings.Repeat(" ", indent)+text[at+1:], indent
	}
	b.WriteString(text)
	if broke {
		b.WriteByte('\n')
	}
	return b.String()
}

// within returns how many bytes of a text take at most n columns.
func within(text string, n int) (end int) {
	for _, piece := range pieces.FindAllString(text, -1) {
		if n -= Columns(piece); n < 0 {
			break
		}
		end += len(piece)
	}
	return end
}

// caretLines are a source line and the caret below it, as diag.Format writes them.
var caretLines = regexp.MustCompile(`(?m)^( *\d+ \| )(.*)\n( +\| )( *)(\^~*)$`)

// cutAroundCaret shortens a source line and the caret below it to n columns.
func cutAroundCaret(lines string, n int) string {
	m := caretLines.FindStringSubmatch(lines)
	text, room, from := []rune(m[2]), n-len(m[1]), len(m[4])
	if len(text) <= room || room < MinColumn {
		return lines
	}
	start := max(0, min(from-room/2, len(text)-room))
	text = slices.Clone(text[start:min(len(text), start+room)])
	if start > 0 {
		text[0] = '…'
	}
	if start+room < len([]rune(m[2])) {
		text[room-1] = '…'
	}
	return m[1] + string(text) + "\n" + m[3] + strings.Repeat(" ", from-start) + m[5][:max(1, min(len(m[5]), room-from+start))]
}
