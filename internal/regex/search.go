package regex

import (
	"io"
	"strings"
	"unicode/utf8"
)

// search returns the first match from at on, by RE2. It reports a step of work for four
// instructions at one byte, which take some tens of nanoseconds.
func (r *Regexp) search(s string, at int, work func(steps int)) (found []int) {
	rest := s[at:]
	if r.prefix != "" {
		skipped := strings.Index(rest, r.prefix)
		if skipped < 0 {
			work(1 + len(rest)>>7)
			return nil
		}
		work(skipped >> 7)
		at, rest = at+skipped, rest[skipped:]
	}
	if len(rest) <= shortText || r.ahead >= 0 && len(rest) <= maxUnseen {
		found = r.re.FindStringSubmatchIndex(rest)
		seen := len(rest)
		if found != nil && len(rest) > shortText {
			seen = min(seen, found[1]+r.ahead)
		}
		work(1 + seen*r.insts>>2)
	} else {
		reader := reportingReader{text: rest, work: work, cost: r.insts}
		found = r.re.FindReaderSubmatchIndex(&reader)
		reader.report()
	}
	for i := range found {
		if found[i] >= 0 {
			found[i] += at
		}
	}
	return found
}

const (
	// A text of up to shortText bytes is searched in one call and counts as read whole.
	shortText = 128
	// A text of up to maxUnseen bytes is searched in one call if ahead is known.
	maxUnseen = 16 << 10
	// A search of another text reports its work every unreported bytes.
	unreported = 4 << 10
)

// A reportingReader reads a text and reports the work of matching it.
type reportingReader struct {
	text     string
	at       int
	reported int
	work     func(steps int)
	cost     int
}

// ReadRune implements [io.RuneReader].
func (r *reportingReader) ReadRune() (c rune, size int, err error) {
	if r.at-r.reported >= unreported {
		r.report()
	}
	if r.at >= len(r.text) {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRuneInString(r.text[r.at:])
	r.at += size
	return c, size, nil
}

func (r *reportingReader) report() {
	r.work(1 + (r.at-r.reported)*r.cost>>2)
	r.reported = r.at
}

// ahead returns how many bytes after the end of its match a search may read at most, or -1
// if that depends on the text. Only the last part of a pattern may repeat without bound,
// because nothing that follows it can fail.
func ahead(n *node) int {
	switch n.op {
	case opConcat:
		if len(n.subs) == 0 {
			return 0
		}
		last := len(n.subs) - 1
		return sum(total(n.subs[:last], length), ahead(n.subs[last]))
	case opAlternate, opGroup:
		return total(n.subs, ahead)
	case opRepeat:
		if n.max < 0 {
			return times(length(n.subs[0]), n.min+1)
		}
	}
	return length(n)
}

// length returns how many bytes a node matches at most, or -1 without bound. For
// alternatives it is their sum, which is simple and not less.
func length(n *node) int {
	switch n.op {
	case opChar, opAny, opSet:
		return utf8.UTFMax
	case opConcat, opAlternate, opGroup:
		return total(n.subs, length)
	case opRepeat:
		return times(length(n.subs[0]), n.max)
	case opBegin:
		return -1 // a search that fails at the beginning reads less than the text
	}
	return 1 // it looks at the next character
}

// total, sum and times return -1 where an operand is.
func total(nodes []*node, of func(*node) int) int {
	all := 0
	for _, n := range nodes {
		all = sum(all, of(n))
	}
	return all
}

func sum(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

func times(a, n int) int {
	if a < 0 || n < 0 {
		return -1
	}
	return a * n
}
