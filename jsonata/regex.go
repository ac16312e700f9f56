package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// A match is one match of a pattern in a text.
type match struct {
	text   string
	start  int // in UTF-16 units
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
			from = e.firstUnit(args[1])
		}
		subject := e.subject(text, fn)
		if from > 0 && from > subject.length() {
			return nil
		}
		return e.matchObject(e.regexMatches(fn, subject, from))
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
	return objectOf(nextKeys, []any{
		m.text, boxInt(m.start), boxInt(m.end), m.groups,
		&Function{name: "next", native: func(e *Evaluator, _ []any) any { return e.matchObject(next) }},
	})
}

// matches yields the matches of a pattern from a UTF-16 unit on: of a regular expression, or
// of a function that returns such objects.
func (e *Evaluator) matches(fn *Function, s subject, from int) matcher {
	if fn.regex == nil {
		return e.calledMatches(fn, s)
	}
	return e.regexMatches(fn, s, from)
}

// regexMatches yields the matches of a regular expression from a UTF-16 unit on.
func (e *Evaluator) regexMatches(fn *Function, s subject, from int) matcher {
	at, seen, counted, n := 0, 0, 0, 0
	node := e.argument(1)
	re := fn.regex
	if s.halves {
		re = re.OfHalves()
	}
	next := re.Matches(s.text, s.offset(from), e.steps)
	empty := false
	return func() (match, bool) {
		if empty {
			e.fail(node, "D1004", "the regular expression matches the empty string, again and again")
		}
		if n > 0 && at >= len(s.text) {
			return match{}, false
		}
		found := next()
		if found == nil {
			return match{}, false
		}
		if n++; n > min(maxMatches, e.limits.MaxItems) {
			e.stop(tooMany("the list of matches of a pattern", min(maxMatches, e.limits.MaxItems)))
		}
		seen += runeCount(s.text[counted:found[0]])
		counted = found[0]
		text := s.text[found[0]:found[1]]
		m := match{text: s.whole(text), from: found[0], to: found[1], start: seen}
		m.end = seen + runeCount(text)
		m.groups = make([]any, 0, len(found)/2-1)
		for i := 2; i < len(found); i += 2 {
			var group any
			if found[i] >= 0 {
				group = s.whole(s.text[found[i]:found[i+1]])
			}
			m.groups = append(m.groups, group)
		}
		if at = found[1]; found[0] == found[1] {
			if n > 1 {
				e.fail(node, "D1004", "the regular expression matches the empty string, again and again")
			}
			empty = at < len(s.text)
		}
		e.steps(2 + len(found))
		e.alloc(64 + 32*len(found))
		return m, true
	}
}

// calledMatches are the matches that a function of the expression returns.
func (e *Evaluator) calledMatches(fn *Function, s subject) matcher {
	node, pattern := e.call.node, e.argument(1)
	var args []any
	if fn.name != "next" {
		args = []any{s.whole(s.text)}
	}
	return func() (match, bool) {
		if fn == nil {
			return match{}, false
		}
		v := e.callMatcher(fn, node, args)
		if v == nil {
			return match{}, false
		}
		o, ok := v.(*Object)
		if !ok {
			e.fail(pattern, "T1010", "a function that is a pattern must return an object with match, start, end, groups and next, got %s", describe(v))
		}
		m := match{object: o}
		text, _ := o.Get("match")
		m.text, _ = text.(string)
		start, _ := o.Get("start")
		end, _ := o.Get("end")
		i, ok := e.integer(start)
		j, ok2 := e.integer(end)
		groups, _ := o.Get("groups")
		next, _ := o.Get("next")
		var ok4 bool
		m.groups, _ = groups.([]any)
		if fn, ok4 = next.(*Function); !ok && !ok2 && m.groups == nil && !ok4 {
			e.fail(pattern, "T1010", "a function that is a pattern must return an object with match, start, end, groups and next")
		}
		args = nil
		m.start, m.end = i, j
		m.from, m.to = s.offset(i), s.offset(j)
		return m, true
	}
}

// callMatcher calls a function for a match.
func (e *Evaluator) callMatcher(fn *Function, node *Node, args []any) any {
	if fn.body == nil && !fn.passed {
		base := len(e.stack)
		e.stack = append(e.stack, args...)
		return e.invokeIn(fn, node, null{}, base, e.call.frame, e.call.scope)
	}
	return e.invoke(fn, node, null{}, args...)
}

// literal are the matches of a string.
func (e *Evaluator) literal(pattern string, s subject) matcher {
	at, seen := 0, 0
	wanted := pattern
	if s.halves {
		wanted = regex.Halves(pattern)
	}
	return func() (match, bool) {
		e.step()
		if at > len(s.text) {
			return match{}, false
		}
		i := strings.Index(s.text[at:], wanted)
		if i < 0 {
			return match{}, false
		}
		m := match{text: pattern, from: at + i, to: at + i + len(wanted)}
		seen += s.units(s.text[at:m.from])
		m.start = seen
		seen += s.units(wanted)
		m.end = seen
		if at = m.to; pattern == "" {
			_, size := regex.DecodeRune(s.text[at:])
			at += max(size, 1)
			seen += min(size, 1)
			m.start, m.end = seen-min(size, 1), seen-min(size, 1)
		}
		return m, true
	}
}
