package regex

import (
	"io"
	"strings"
	"unicode/utf8"
)

// search is the first match from at on, by RE2. work is told of what it takes: a step for
// four instructions at one byte, some tens of nanoseconds.
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
	// shortText is the length in bytes of a text that is searched at once, and counts
	// as searched to its end.
	shortText = 128
	// maxUnseen is that of a text which is searched at once if it is known how far.
	maxUnseen = 16 << 10
	// unreported is how many bytes are read between two reports.
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

// ahead is how many bytes behind the end of its match a search may read, or -1 if that
// depends on the text. Only a repetition at the end of a pattern may be without bound, as
// nothing that comes behind it can fail.
func ahead(n *node) int {
	switch n.op {
	case opConcat:
		most := 0
		for i, sub := range n.subs {
			of := length
			if i == len(n.subs)-1 {
				of = ahead
			}
			if most = sum(most, of(sub)); most < 0 {
				return -1
			}
		}
		return most
	case opAlternate:
		most := 0
		for _, sub := range n.subs {
			if most = sum(most, ahead(sub)); most < 0 {
				return -1
			}
		}
		return most
	case opGroup:
		return ahead(n.subs[0])
	case opRepeat:
		if n.max >= 0 {
			return length(n)
		}
		return times(length(n.subs[0]), n.min+1)
	case opBegin: // without a match, it reads less than the text
		return -1
	}
	return length(n)
}

// length is how many bytes a node matches at most, or -1 without bound.
func length(n *node) int {
	switch n.op {
	case opChar, opAny, opSet:
		return utf8.UTFMax
	case opConcat, opAlternate, opGroup:
		most := 0
		for _, sub := range n.subs {
			if most = sum(most, length(sub)); most < 0 {
				return -1
			}
		}
		return most
	case opRepeat:
		return times(length(n.subs[0]), n.max)
	case opBegin:
		return -1
	}
	return 1 // a look at the next character
}

// sum and times are -1 where an operand is.
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
