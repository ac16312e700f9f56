package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// columns returns how many columns of a terminal a text takes: two for a wide character, none
// for a combining one and for the marks of paint.
func columns(text string) int {
	n := 0
	eachCharacter(text, func(_ string, wide int) { n += wide })
	return n
}

// cutColumns returns a text of at most n columns: of a longer one the beginning and "…". The
// marks of paint stay, so that a style ends where it ended.
func cutColumns(text string, n int) string {
	if len(text) <= n || columns(text) <= n {
		return text
	}
	var b strings.Builder
	at := 0
	eachCharacter(text, func(part string, wide int) {
		switch was := at; {
		case strings.HasPrefix(part, markKey) || at+wide < n:
			at += wide
			b.WriteString(part)
		default:
			if at = n; was < n {
				b.WriteString("…")
			}
		}
	})
	return b.String()
}

// pad returns a text in exactly n columns: cut, or with spaces after it.
func pad(text string, n int) string {
	text = cutColumns(text, n)
	return text + strings.Repeat(" ", n-columns(text))
}

// eachCharacter calls a function with each character of a text, or mark of paint, and how
// many columns it takes.
func eachCharacter(text string, f func(part string, wide int)) {
	for text != "" {
		if strings.HasPrefix(text, markKey) {
			mark, rest, _ := strings.Cut(text, markEnd)
			f(mark+markEnd, 0)
			text = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		wide := 1
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me):
			wide = 0
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			wide = 2
		}
		f(text[:size], wide)
		text = text[size:]
	}
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
