package jsonata

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// A match is one match of a pattern in a text.
type match struct {
	text   string
	start  int // in characters
	end    int
	groups []any
	from   int // in bytes
	to     int
	object *Object // that a function of the expression returned
}

// nextKeys are those of a match that a function returns.
var nextKeys = []string{"match", "start", "end", "groups", "next"}

// A matcher yields the matches of a text, one after the other; ok is false after the
// last.
type matcher func() (m match, ok bool)

// maxMatches bounds the matches of one call.
const maxMatches = 250_000

// regex compiles a regular expression, which is a function that matches a text.
func (c *compiler) regex(n *Node) code { return constant(c.regexFunction(n)) }

func (c *compiler) regexFunction(n *Node) *Function {
	rest := c.src[n.Start+len(n.Text)+2:]
	flags := rest[:len(rest)-len(strings.TrimLeft(rest, "im"))]
	re, err := regex.Compile(n.Text, flags)
	if err != nil {
		panic(&Error{Code: "D3137", Message: "the regular expression /" + n.Text + "/ is not valid: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "), Start: n.Start, End: n.End})
	}
	fn := &Function{name: "regex", arity: 2, regex: re}
	fn.native = func(e *Evaluator, args []any) any {
		var s any
		if len(args) > 0 {
			s = args[0]
		}
		text, from := e.javaScriptText(s, 0), 0
		if len(args) > 1 {
			from = e.firstCharacter(args[1])
		}
		e.steps(len(text) >> 6)
		if from > runeCount(text) {
			return nil
		}
		return e.matchObject(e.regexMatches(fn, text, from))
	}
	return fn
}

// matchObject is the next match as the object that a matching function returns.
func (e *Evaluator) matchObject(next matcher) any {
	m, ok := next()
	if !ok {
		return nil
	}
	e.steps(5)
	e.alloc(300)
	return objectFrom(nextKeys, []any{
		m.text, boxInt(m.start), boxInt(m.end), m.groups,
		&Function{name: "next", native: func(e *Evaluator, _ []any) any { return e.matchObject(next) }},
	}, nil)
}

// firstCharacter is where a search begins, as the second argument of a regular expression says.
func (e *Evaluator) firstCharacter(v any) int {
	if held, ok := v.(bool); ok && held {
		return 1
	}
	x, _ := e.number(v)
	if !(x >= 1) {
		return 0
	}
	return int(min(x, math.MaxInt32))
}

// offset is where in a text a character begins, in bytes.
func (e *Evaluator) offset(s string, character int) int {
	e.steps(max(0, min(character, len(s))) >> 6)
	return offset(s, character)
}

// matches yields the matches of a pattern: of a regular expression, or of a function that
// returns such objects.
func (e *Evaluator) matches(fn *Function, s string) matcher {
	if fn.regex == nil {
		return e.calledMatches(fn, s)
	}
	return e.regexMatches(fn, s, 0)
}

// regexMatches yields the matches of a regular expression from a character on.
func (e *Evaluator) regexMatches(fn *Function, s string, from int) matcher {
	at, seen, counted, n := 0, 0, 0, 0
	node := e.argument(1)
	next := fn.regex.Matches(s, e.offset(s, from), e.steps)
	empty := false
	return func() (match, bool) {
		if empty {
			e.fail(node, "D1004", "the regular expression matches the empty string, again and again")
		}
		if n > 0 && at >= len(s) {
			return match{}, false
		}
		found := next()
		if found == nil {
			return match{}, false
		}
		if n++; n > min(maxMatches, e.limits.MaxItems) {
			e.stop(tooMany("the list of matches of a pattern", min(maxMatches, e.limits.MaxItems)))
		}
		seen += runeCount(s[counted:found[0]])
		counted = found[0]
		text := s[found[0]:found[1]]
		m := match{text: text, from: found[0], to: found[1], start: seen}
		m.end = seen + runeCount(text)
		m.groups = make([]any, 0, len(found)/2-1)
		for i := 2; i < len(found); i += 2 {
			var group any
			if found[i] >= 0 {
				group = s[found[i]:found[i+1]]
			}
			m.groups = append(m.groups, group)
		}
		if at = found[1]; found[0] == found[1] {
			if n > 1 {
				e.fail(node, "D1004", "the regular expression matches the empty string, again and again")
			}
			empty = at < len(s)
		}
		e.steps(2 + len(found))
		e.alloc(64 + 32*len(found))
		return m, true
	}
}

// calledMatches are the matches that a function of the expression returns.
func (e *Evaluator) calledMatches(fn *Function, s string) matcher {
	node, pattern := e.call.node, e.argument(1)
	var args []any
	if fn.name != "next" {
		args = []any{s}
	}
	return func() (match, bool) {
		if fn == nil {
			return match{}, false
		}
		v := e.invoke(fn, node, args...)
		if v == nil {
			return match{}, false
		}
		o, ok := v.(*Object)
		if !ok {
			e.fail(pattern, "T1010", "a function that is a pattern must return an object with match, start, end, groups and next, got %s", describe(v))
		}
		m := match{object: o}
		get := func(key string) any {
			v, _ := o.Get(key)
			return v
		}
		m.text, _ = get("match").(string)
		i, ok := e.integer(get("start"))
		j, ok2 := e.integer(get("end"))
		var ok4 bool
		m.groups, _ = get("groups").([]any)
		if fn, ok4 = get("next").(*Function); !ok && !ok2 && m.groups == nil && !ok4 {
			e.fail(pattern, "T1010", "a function that is a pattern must return an object with match, start, end, groups and next")
		}
		args = nil
		m.start, m.end = i, j
		m.from, m.to = e.offset(s, i), e.offset(s, j)
		return m, true
	}
}

// literal are the matches of a string.
func (e *Evaluator) literal(pattern, s string) matcher {
	at, seen := 0, 0
	return func() (match, bool) {
		e.step()
		if at > len(s) {
			return match{}, false
		}
		i := strings.Index(s[at:], pattern)
		if i < 0 {
			return match{}, false
		}
		m := match{text: pattern, from: at + i, to: at + i + len(pattern)}
		seen += runeCount(s[at:m.from])
		m.start = seen
		seen += runeCount(pattern)
		m.end = seen
		if at = m.to; pattern == "" {
			_, size := utf8.DecodeRuneInString(s[at:])
			at += max(size, 1)
			seen += min(size, 1)
			m.start, m.end = seen-min(size, 1), seen-min(size, 1)
		}
		return m, true
	}
}
