package regex

import (
	"regexp"
	resyntax "regexp/syntax"
)

// A Regexp is a regular expression as JavaScript reads it. It is safe for concurrent
// use.
type Regexp struct {
	re    *regexp.Regexp // of the patterns that RE2 matches as JavaScript does
	insts int            // the size of its automaton
}

// maxWork bounds the size of an automaton times the length of a text.
const maxWork = 100_000_000

// Compile compiles a pattern, without its slashes, with the flags i, m and s.
func Compile(pattern, flags string) (*Regexp, error) {
	text, err := translate(pattern, flags)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	tree, err := resyntax.Parse(text, resyntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := resyntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	return &Regexp{re: re, insts: len(prog.Inst)}, nil
}

func translate(pattern, flags string) (string, error) {
	if flags != "" {
		return "(?" + flags + ")" + pattern, nil
	}
	return pattern, nil
}

// Matches yields the matches in a text one after the other, as the offsets of the match
// and of its groups, -1 where a group took no part; nil after the last. work is told of
// the steps that it takes, and may panic to end it.
func (r *Regexp) Matches(s string, work func(steps int)) func() []int {
	var all [][]int
	n := 0
	return func() []int {
		n++
		switch n {
		case 1:
			work(len(s) * r.insts >> 8)
			return r.re.FindStringSubmatchIndex(s)
		case 2:
			work(len(s) * r.insts >> 8)
			all = r.re.FindAllStringSubmatchIndex(s, -1)
		}
		if n > len(all) {
			return nil
		}
		return all[n-1]
	}
}
