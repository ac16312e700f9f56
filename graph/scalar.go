package graph

import (
	"strings"
	"unicode/utf8"
)

// A scan reads one scalar of a YAML or JSON source: its decoded text, where it
// ends, and which source bytes each byte of the text comes from. The YAML
// library gives only where a scalar starts, so this repeats its scanner's rules
// for plain, quoted and block scalars.
type scan struct {
	src    string
	mapped bool // whether from and to are wanted

	text     []byte
	from, to []int32 // of each byte of text
	end      int     // after the scalar's last byte
	header   int     // block scalars: after the indicators, "|-"
	indent   int     // block scalars: columns of indentation
}

// put appends decoded text that comes from the source bytes [from, to) as one
// piece, such as an escape or a folded line break.
func (s *scan) put(text string, from, to int) {
	s.text = append(s.text, text...)
	if s.mapped {
		for range len(text) {
			s.from, s.to = append(s.from, int32(from)), append(s.to, int32(to))
		}
	}
}

// copy appends the source bytes [from, to) as they are.
func (s *scan) copy(from, to int) {
	s.text = append(s.text, s.src[from:to]...)
	if s.mapped {
		for i := from; i < to; i++ {
			s.from, s.to = append(s.from, int32(i)), append(s.to, int32(i+1))
		}
	}
}

// A lineBreak is one line break of the source and what it decodes to.
type lineBreak struct {
	from, to int
	text     string
}

// breakAt returns the length of the line break at i, or 0. YAML
// 1.1's NEL, LS and PS count, as they do in the library.
func breakAt(src string, i int) int {
	if i >= len(src) {
		return 0
	}
	switch src[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if strings.HasPrefix(src[i:], "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(src[i:], "\u2028") || strings.HasPrefix(src[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

// takeBreak returns the line break at i, which must be there.
func takeBreak(src string, i int) lineBreak {
	b := lineBreak{from: i, to: i + breakAt(src, i), text: "\n"}
	if src[i] == 0xE2 {
		b.text = src[b.from:b.to]
	}
	return b
}

func blankAt(src string, i int) bool {
	return i < len(src) && (src[i] == ' ' || src[i] == '\t')
}

// spaceAt reports whether i is at a blank, a line break or the end.
func spaceAt(src string, i int) bool {
	return i >= len(src) || src[i] == ' ' || src[i] == '\t' || breakAt(src, i) > 0
}

func flowIndicator(c byte) bool { return strings.IndexByte(",[]{}", c) >= 0 }

// markerAt reports whether a document marker, --- or ..., is at i.
func markerAt(src string, i int) bool {
	return (strings.HasPrefix(src[i:], "---") || strings.HasPrefix(src[i:], "...")) && spaceAt(src, i+3)
}

// fold appends what white space between two words of a flow scalar decodes to.
// blanks are the bytes of the white space if it is all on one line.
func (s *scan) fold(from, to int, breaks []lineBreak, escaped bool) {
	switch {
	case len(breaks) == 0 && escaped:
	case len(breaks) == 0:
		s.copy(from, to)
	case escaped:
		for _, b := range breaks {
			s.put(b.text, b.from, b.to)
		}
	case breaks[0].text == "\n" && len(breaks) == 1:
		s.put(" ", from, to)
	case breaks[0].text == "\n":
		for _, b := range breaks[1:] {
			s.put(b.text, b.from, b.to)
		}
	default:
		for _, b := range breaks {
			s.put(b.text, b.from, b.to)
		}
	}
}

// gap consumes blanks and line breaks from i and returns where they end, the
// breaks, and the start of the last line begun, or -1.
func (s *scan) gap(i int) (to int, breaks []lineBreak, lineStart int) {
	lineStart = -1
	for {
		switch {
		case blankAt(s.src, i):
			i++
		case breakAt(s.src, i) > 0:
			b := takeBreak(s.src, i)
			breaks = append(breaks, b)
			i, lineStart = b.to, b.to
		default:
			return i, breaks, lineStart
		}
	}
}

// plain reads an unquoted scalar. minColumn is the 1-based column that further
// lines of it must reach outside of flow collections.
func (s *scan) plain(start, minColumn int, inFlow bool) {
	src, i := s.src, start
	s.end = start
	var breaks []lineBreak
	gapFrom, lineStart := start, -1
	for {
		if lineStart == i && markerAt(src, i) || i < len(src) && src[i] == '#' && i > start {
			return
		}
		word := i
		for !spaceAt(src, i) {
			if src[i] == ':' && spaceAt(src, i+1) || inFlow && (flowIndicator(src[i]) ||
				src[i] == ':' && i+1 < len(src) && strings.IndexByte(",]}", src[i+1]) >= 0) {
				break
			}
			i++
		}
		if i > word {
			if word > gapFrom {
				s.fold(gapFrom, word, breaks, false)
			}
			s.copy(word, i)
			s.end = i
		}
		if !spaceAt(src, i) || i >= len(src) {
			return
		}
		gapFrom = i
		i, breaks, lineStart = s.gap(i)
		if !inFlow && lineStart >= 0 && i-lineStart+1 < minColumn {
			return
		}
	}
}

var yamlEscapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1b", ' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// quote reads a quoted YAML scalar, from its opening quote.
func (s *scan) quote(start int) {
	src, i, q := s.src, start+1, s.src[start]
	for {
		escaped := false
		for !spaceAt(src, i) && !escaped {
			switch {
			case q == '\'' && src[i] == '\'' && i+1 < len(src) && src[i+1] == '\'':
				s.put("'", i, i+2)
				i += 2
			case src[i] == q:
				s.end = i + 1
				return
			case q == '"' && src[i] == '\\' && breakAt(src, i+1) > 0:
				i += 1 + breakAt(src, i+1)
				escaped = true
			case q == '"' && src[i] == '\\':
				i = s.escape(i)
			default:
				_, n := utf8.DecodeRuneInString(src[i:])
				s.copy(i, i+n)
				i += n
			}
		}
		if i >= len(src) {
			s.end = len(src)
			return
		}
		from := i
		var breaks []lineBreak
		i, breaks, _ = s.gap(i)
		s.fold(from, i, breaks, escaped)
	}
}

// escape decodes a double-quoted scalar's escape and returns where it ends.
func (s *scan) escape(i int) int {
	if i+1 >= len(s.src) {
		return len(s.src)
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s.src[i+1]]
	if digits == 0 {
		s.put(yamlEscapes[s.src[i+1]], i, i+2)
		return i + 2
	}
	r, to := hexRune(s.src, i+2, digits)
	s.put(string(r), i, to)
	return to
}

func hexRune(src string, from, digits int) (r rune, to int) {
	to = min(from+digits, len(src))
	for _, c := range []byte(src[from:to]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 + rune(c-'0')
		default:
			r = r<<4 + rune(c|0x20-'a'+10)
		}
	}
	return r, to
}

// json reads a JSON string, from its opening quote.
func (s *scan) json(start int) {
	src, i := s.src, start+1
	for i < len(src) && src[i] != '"' {
		if src[i] != '\\' || i+1 >= len(src) {
			_, n := utf8.DecodeRuneInString(src[i:])
			s.copy(i, i+n)
			i += n
			continue
		}
		if src[i+1] != 'u' {
			s.put(yamlEscapes[src[i+1]], i, i+2)
			i += 2
			continue
		}
		r, to := hexRune(src, i+2, 4)
		if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(src[to:], `\u`) {
			low, end := hexRune(src, to+2, 4)
			r, to = (r-0xD800)<<10+(low-0xDC00)+0x10000, end
		}
		s.put(string(r), i, to)
		i = to
	}
	s.end = min(i+1, len(src))
}
