package regex

import (
	"regexp"
	resyntax "regexp/syntax"
	"slices"
	"strings"
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
}

// Compile compiles a pattern, without its slashes, with the flags i, m and s.
func Compile(pattern, flags string) (*Regexp, error) {
	root, groups, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	r := &Regexp{back: backtracker{
		root: root, groups: groups,
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
	return func() []int {
		if at < 0 {
			return nil
		}
		var found []int
		if r.re == nil || at > 0 && r.edges { // what comes before at matters
			found = r.back.find(s, at, work)
		} else {
			found = r.search(s, at, work)
		}
		if at = -1; found != nil {
			at = found[1]
		}
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
		return !slices.ContainsFunc(n.subs, func(sub *node) bool { return !nullable(sub) })
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
