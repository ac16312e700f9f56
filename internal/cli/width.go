package cli

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

// columns returns how many columns of a terminal a text takes: two for a wide character, none
// for a combining one and for the marks of paint.
func columns(text string) (n int) {
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

func isMark(piece string) bool { return strings.HasPrefix(piece, markKey) }

// cutColumns returns a text of at most n columns: of a longer one the beginning and "…". The
// marks of paint stay, so that a style ends.
func cutColumns(text string, n int) string {
	if columns(text) <= n {
		return text
	}
	var b strings.Builder
	at := 0
	for _, piece := range pieces.FindAllString(text, -1) {
		was := at
		if at += columns(piece); at < n || isMark(piece) {
			b.WriteString(piece)
		} else if was < n {
			b.WriteString("…")
			at = n
		}
	}
	return b.String()
}

// pad returns a text in exactly n columns: cut, or with spaces after it.
func pad(text string, n int) string {
	text = cutColumns(text, n)
	return text + strings.Repeat(" ", n-columns(text))
}

// wrapHelp breaks the lines of a help text that are wider than n columns at spaces, except for
// examples, which are copied. What follows begins below the meaning of the flag or command.
func wrapHelp(text string, n int) string {
	var b strings.Builder
	example := false
	for line := range strings.SplitAfterSeq(text, "\n") {
		example = line == "Examples:\n" || example && line != "\n"
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if at := strings.LastIndex(strings.TrimRight(line[:min(len(line), n/2)], " "), "  "); at >= indent {
			indent = at + len("  ")
		}
		for !example && columns(strings.TrimSuffix(line, "\n")) > n {
			at := strings.LastIndexByte(line[:n+1], ' ')
			if at <= indent {
				break
			}
			b.WriteString(line[:at] + "\n")
			line = strings.Repeat(" ", indent) + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}
