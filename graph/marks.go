package graph

import (
	"strings"
	"unicode/utf8"
)

// marks turns the library's lines and columns into byte offsets. Nodes come in
// the order of the text, so it walks forward from the last one.
type marks struct {
	src          string
	at           int
	line, column int
}

func (m *marks) offset(line, column int) int {
	if line < m.line || line == m.line && column < m.column {
		m.back(line, column)
	}
	for m.at < len(m.src) && (m.line < line || m.column < column) {
		if n := breakAt(m.src, m.at); n > 0 {
			if m.line == line {
				break
			}
			m.at += n
			m.line, m.column = m.line+1, 1
			continue
		}
		if m.line < line {
			m.at++
			for m.at < len(m.src) && m.src[m.at] != '\n' && m.src[m.at] != '\r' && m.src[m.at] < 0x80 {
				m.at++
			}
			continue
		}
		_, n := utf8.DecodeRuneInString(m.src[m.at:])
		m.at += n
		m.column++
	}
	return m.at
}

// back walks to a place before the current one on the same line, or starts anew.
func (m *marks) back(line, column int) {
	for line == m.line && column < m.column && m.at > 0 {
		_, n := utf8.DecodeLastRuneInString(m.src[:m.at])
		m.at -= n
		m.column--
	}
	if line < m.line {
		*m = marks{src: m.src, at: len(m.src) - len(strings.TrimPrefix(m.src, bom)), line: 1, column: 1}
	}
}
