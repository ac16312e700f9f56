package graph

import "strings"

// block reads a literal (|) or folded (>) scalar. parent is the 1-based column
// of the list or map that holds it, negative at the root.
//
// The end is after the last line of content, before its line break; blank
// lines are part of the scalar only when it keeps them (|+), and then the last
// line break is not.
func (s *scan) block(start, parent int) {
	src, i := s.src, start+1
	fold := src[start] == '>'
	chomp, increment := byte(0), 0
	for i < start+3 && i < len(src) && strings.IndexByte("+-123456789", src[i]) >= 0 {
		if c := src[i]; c >= '1' {
			increment = int(c - '0')
		} else {
			chomp = c
		}
		i++
	}
	s.header, s.end = i, i
	for i < len(src) && breakAt(src, i) == 0 {
		i++
	}
	begun := false
	if i < len(src) {
		i, begun = i+breakAt(src, i), true
	}
	if increment > 0 {
		s.indent = max(parent, 1) + increment
		if parent >= 0 {
			s.indent = parent + increment
		}
	}
	i, lineStart, trailing := s.margin(i, parent, begun)
	var leading lineBreak
	have, wasBlank := false, false
	for i < len(src) && i-lineStart+1 == s.indent {
		isBlank := blankAt(src, i)
		if have {
			switch {
			case fold && !wasBlank && !isBlank && leading.text == "\n" && len(trailing) == 0:
				s.put(" ", leading.from, i)
			case fold && !wasBlank && !isBlank && leading.text == "\n":
			default:
				s.put(leading.text, leading.from, leading.to)
			}
		}
		for _, b := range trailing {
			s.put(b.text, b.from, b.to)
		}
		wasBlank = isBlank
		from, ink := i, false
		for i < len(src) && breakAt(src, i) == 0 {
			ink = ink || !blankAt(src, i)
			i++
		}
		s.copy(from, i)
		s.end = i
		switch {
		case i < len(src):
			leading, have = takeBreak(src, i), true
			i = leading.to
		case !ink:
			leading, have = lineBreak{i, i, "\n"}, true
		default:
			have = false
		}
		i, lineStart, trailing = s.margin(i, parent, true)
	}
	if have && chomp != '-' {
		s.put(leading.text, leading.from, leading.to)
	}
	if chomp == '+' {
		for _, b := range trailing {
			s.put(b.text, b.from, b.to)
			s.end = b.from
		}
	}
}

// margin consumes indentation and blank lines, and settles the indentation if
// the header did not. It returns where it stopped, the start of that line and
// the line breaks passed.
func (s *scan) margin(i, parent int, begun bool) (at, lineStart int, breaks []lineBreak) {
	src, widest := s.src, 0
	lineStart = i
	for {
		for i < len(src) && src[i] == ' ' && (s.indent == 0 || i-lineStart+1 < s.indent) {
			i++
		}
		widest = max(widest, i-lineStart+1)
		if breakAt(src, i) == 0 {
			break
		}
		b := takeBreak(src, i)
		breaks = append(breaks, b)
		i, lineStart, begun = b.to, b.to, true
	}
	if column := i - lineStart + 1; i >= len(src) && begun && column > 1 && (s.indent == 0 || column <= s.indent) {
		breaks = append(breaks, lineBreak{i, i, "\n"})
	}
	if s.indent == 0 {
		s.indent = max(widest, parent+1, 1)
	}
	return i, lineStart, breaks
}
