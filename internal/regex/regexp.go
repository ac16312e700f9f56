package regex

import (
	"regexp"
	resyntax "regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// A Regexp is a regular expression as JavaScript reads it, with look-around, references
// to groups and named groups. It is safe for concurrent use. What RE2 matches as
// JavaScript does is matched by it, in time linear in the text; the rest by
// backtracking, which counts its steps.
type Regexp struct {
	re     *regexp.Regexp // or nil
	insts  int            // the size of its automaton
	ahead  int            // see [ahead]
	edges  bool           // it looks at what comes before a match
	prefix string         // with which each match begins
	back   backtracker

	pattern, flags string
	ofHalves       struct {
		once sync.Once
		re   *Regexp
	}
}

// Compile compiles a pattern, without its slashes, with the flags i, m and s.
func Compile(pattern, flags string) (*Regexp, error) { return compile(pattern, flags, false) }

// OfHalves is the regular expression for texts that [Halves] has made.
func (r *Regexp) OfHalves() *Regexp {
	r.ofHalves.once.Do(func() {
		var err error
		if r.ofHalves.re, err = compile(r.pattern, r.flags, true); err != nil {
			r.ofHalves.re = r
		}
	})
	return r.ofHalves.re
}

func compile(pattern, flags string, halves bool) (*Regexp, error) {
	root, groups, err := parse(pattern, halves)
	if err != nil {
		return nil, err
	}
	r := &Regexp{pattern: pattern, flags: flags, back: backtracker{
		root: root, groups: groups, halves: halves,
		fold: strings.Contains(flags, "i"), multiline: strings.Contains(flags, "m"), dotAll: strings.Contains(flags, "s"),
	}}
	w := writer{backtracker: &r.back}
	if !w.write(root) || nullable(root) {
		return r, nil
	}
	text := w.out.String()
	tree, err := resyntax.Parse(text, resyntax.Perl)
	if err != nil {
		return r, nil // too large for RE2
	}
	prog, err := resyntax.Compile(tree.Simplify())
	if err != nil {
		return r, nil
	}
	if r.re, err = regexp.Compile(text); err == nil {
		r.insts, r.ahead = len(prog.Inst), ahead(root)
		if r.edges = looksBack(root); !r.edges {
			r.prefix, _ = r.re.LiteralPrefix()
		}
	}
	return r, nil
}

// Matches yields the matches in a text from a byte on, one after the other, as the offsets
// of the match and of its groups, -1 where a group took no part; nil after the last. work is
// told of the steps that it takes, and may panic to end it.
func (r *Regexp) Matches(s string, at int, work func(steps int)) func() []int {
	if r.re == nil {
		return r.backtracked(s, at, work)
	}
	return func() []int {
		if at < 0 {
			return nil
		}
		found := r.next(s, at, work)
		if found == nil {
			at = -1
			return nil
		}
		at = found[1]
		return found
	}
}

// next is the first match from at on, by RE2.
func (r *Regexp) next(s string, at int, work func(steps int)) []int {
	if at > 0 && r.edges { // what comes before at matters
		return r.back.find(s, at, work)
	}
	return r.search(s, at, work)
}

func (r *Regexp) backtracked(s string, at int, work func(steps int)) func() []int {
	done := false
	return func() []int {
		if done {
			return nil
		}
		found := r.back.find(s, at, work)
		if found == nil {
			done = true
			return nil
		}
		at = found[1]
		return found
	}
}

// looksBack reports whether a node looks at what comes before it.
func looksBack(n *node) bool {
	switch n.op {
	case opBegin, opWord, opNotWord:
		return true
	}
	return slices.ContainsFunc(n.subs, looksBack)
}

// nullable reports whether a node can match the empty string.
func nullable(n *node) bool {
	switch n.op {
	case opChar, opAny, opSet:
		return false
	case opConcat:
		for _, sub := range n.subs {
			if !nullable(sub) {
				return false
			}
		}
		return true
	case opAlternate:
		return slices.ContainsFunc(n.subs, nullable)
	case opRepeat:
		return n.min == 0 || nullable(n.subs[0])
	case opGroup:
		return nullable(n.subs[0])
	}
	return true
}

// maxRepeat is the largest number of a quantifier that RE2 takes.
const maxRepeat = 1000

// maxFolded is the largest range of characters that are written one by one.
const maxFolded = 512
