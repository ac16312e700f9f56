package regex

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A node is one piece of a pattern, as the backtracking matcher takes it.
type node struct {
	op    op
	char  rune
	set   *set
	subs  []*node
	min   int
	max   int // of a repetition, -1 without bound
	lazy  bool
	group int // its number, from 1
	last  int // the groups in a repetition are group to last
	name  string
}

type op uint8

const (
	opEmpty op = iota
	opChar
	opAny
	opSet
	opConcat
	opAlternate
	opRepeat
	opGroup
	opBegin
	opEnd
	opWord
	opNotWord
	opBack
	opAhead
	opNotAhead
	opBehind
	opNotBehind
)

// A reader reads a pattern by the grammar of ECMA-262, with its annex B: what is not an
// escape or a quantifier stands for itself.
type reader struct {
	cursor
	groups int
	names  []string // of the groups, from the first
	depth  int
	named  bool // a group of the pattern has a name, so \k refers to one
}

var errUnclosed = errors.New("a bracket is never closed")

// parse reads a whole pattern.
func parse(pattern string) (n *node, groups int, err error) {
	r := &reader{cursor: cursor{pattern}, named: strings.Contains(pattern, "(?<") && namedGroup(pattern)}
	n, err = r.alternatives()
	if err == nil && r.rest != "" {
		err = errors.New("unmatched )")
	}
	if err == nil {
		err = r.resolve(n)
	}
	return n, r.groups, err
}

func namedGroup(pattern string) bool {
	for i := 0; ; {
		j := strings.Index(pattern[i:], "(?<")
		if j < 0 {
			return false
		}
		i += j + 3
		if i < len(pattern) && pattern[i] != '=' && pattern[i] != '!' {
			return true
		}
	}
}

// octal is a reference to a group that the pattern does not have: a character by at most three
// octal digits, and the digits after them.
func octal(digits string) node {
	n := node{op: opConcat}
	for size := min(3, len(digits)); size > 0; size-- {
		if c, err := strconv.ParseUint(digits[:size], 8, 8); err == nil {
			n.subs = append(n.subs, &node{op: opChar, char: rune(c)})
			digits = digits[size:]
			break
		}
	}
	for _, c := range digits {
		n.subs = append(n.subs, &node{op: opChar, char: c})
	}
	return n
}

// resolve gives references by name their numbers.
func (r *reader) resolve(n *node) error {
	if n.op == opBack && n.name != "" {
		i := slices.Index(r.names, n.name)
		if i < 0 {
			return fmt.Errorf("there is no group named %q", n.name)
		}
		n.group = i + 1
	}
	if n.op == opBack && n.group > r.groups {
		*n = octal(strconv.Itoa(n.group))
	}
	for _, sub := range n.subs {
		if err := r.resolve(sub); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) alternatives() (*node, error) {
	if r.depth++; r.depth > maxPatternDepth {
		return nil, errors.New("the pattern is nested too deep")
	}
	defer func() { r.depth-- }()
	var all []*node
	for {
		n, err := r.concat()
		if err != nil {
			return nil, err
		}
		if all = append(all, n); !r.skip("|") {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return &node{op: opAlternate, subs: all}, nil
}

func (r *reader) concat() (*node, error) {
	n := &node{op: opConcat}
	for r.rest != "" && r.rest[0] != '|' && r.rest[0] != ')' {
		before := r.groups
		atom, err := r.atom()
		if err != nil {
			return nil, err
		}
		if atom, err = r.quantified(atom, before); err != nil {
			return nil, err
		}
		n.subs = append(n.subs, atom)
	}
	return n, nil
}

// quantified reads the quantifier of an atom, if it has one.
func (r *reader) quantified(atom *node, before int) (*node, error) {
	n := &node{op: opRepeat, subs: []*node{atom}, max: -1, group: before + 1, last: r.groups}
	switch {
	case r.skip("*"):
	case r.skip("+"):
		n.min = 1
	case r.skip("?"):
		n.max = 1
	default:
		least, most, size, ok := bounds(r.rest)
		if !ok {
			return atom, nil
		}
		if most >= 0 && most < least {
			return nil, errors.New("the numbers of a quantifier are out of order")
		}
		n.min, n.max = least, most
		r.rest = r.rest[size:]
	}
	switch atom.op {
	case opBegin, opEnd, opWord, opNotWord, opBehind, opNotBehind:
		return nil, errors.New("nothing to repeat")
	}
	n.lazy = r.skip("?")
	return n, nil
}

// bounds reads {n}, {n,} or {n,m}.
func bounds(s string) (least, most, size int, ok bool) {
	if !strings.HasPrefix(s, "{") {
		return 0, 0, 0, false
	}
	inner, _, closed := strings.Cut(s[1:], "}")
	low, high, both := strings.Cut(inner, ",")
	least, ok = count(low)
	if !closed || !ok {
		return 0, 0, 0, false
	}
	switch {
	case !both:
		most = least
	case high == "":
		most = -1
	default:
		if most, ok = count(high); !ok {
			return 0, 0, 0, false
		}
	}
	return least, most, len(inner) + 2, true
}

type opening struct {
	text string
	op   op
}

var openings = []opening{{"?:", opEmpty}, {"?=", opAhead}, {"?!", opNotAhead}, {"?<=", opBehind}, {"?<!", opNotBehind}}

// atom reads one atom or assertion.
func (r *reader) atom() (*node, error) {
	switch c := r.next(); c {
	case '^':
		return &node{op: opBegin}, nil
	case '$':
		return &node{op: opEnd}, nil
	case '.':
		return &node{op: opAny}, nil
	case '(':
		return r.bracket()
	case '[':
		s, err := r.class()
		return &node{op: opSet, set: s}, err
	case '*', '+', '?':
		return nil, errors.New("nothing to repeat")
	case '{':
		if _, _, _, ok := bounds("{" + r.rest); ok {
			return nil, errors.New("nothing to repeat")
		}
		return &node{op: opChar, char: c}, nil
	case '\\':
		return r.escape()
	default:
		return &node{op: opChar, char: c}, nil
	}
}

// bracket reads what follows "(".
func (r *reader) bracket() (*node, error) {
	n := &node{op: opGroup}
	if i := slices.IndexFunc(openings, func(o opening) bool { return r.skip(o.text) }); i >= 0 {
		n.op = openings[i].op
	} else {
		name := ""
		if r.skip("?<") {
			var ok bool
			if name, r.rest, ok = strings.Cut(r.rest, ">"); !ok || !isGroupName(name) || slices.Contains(r.names, name) {
				return nil, errors.New("the name of a group is not valid")
			}
		} else if strings.HasPrefix(r.rest, "?") {
			return nil, errors.New("unknown kind of group (?" + string([]rune(r.rest + " ")[1:2]))
		}
		r.groups++
		n.group = r.groups
		r.names = append(r.names, name)
	}
	sub, err := r.alternatives()
	if err != nil {
		return nil, err
	}
	if !r.skip(")") {
		return nil, errUnclosed
	}
	if n.op == opEmpty {
		return sub, nil
	}
	n.subs = []*node{sub}
	return n, nil
}

func isGroupName(s string) bool {
	for i, c := range s {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}
