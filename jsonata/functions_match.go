package jsonata

import (
	"strconv"
	"strings"
)

func callContains(e *Evaluator, args []any) any {
	s := args[0].(string)
	if args[1] == nil {
		return nil
	}
	if part, ok := args[1].(string); ok {
		return strings.Contains(s, part)
	}
	_, found := e.matches(args[1].(*Function), s)()
	return found
}

// most is the optional limit of a function in args[i]; without is that of one without.
func (e *Evaluator) most(args []any, i int, code, name string, without int) int {
	if args[i] == nil {
		return without
	}
	x, _ := e.number(args[i])
	if x < 0 {
		e.bad(i, code, "argument %d of $%s must not be negative; got %s", i+1, name, describe(args[i]))
	}
	n := int(min(x, float64(without)))
	if float64(n) < x && n < without {
		n++
	}
	return n
}

const noLimit = 1 << 31

func callMatch(e *Evaluator, args []any) any {
	s := args[0].(string)
	if args[1] == nil {
		e.bad(1, "T0410", "$match: argument 2 must be a string or a function, got undefined")
	}
	limit := e.most(args, 2, "D3040", "match", noLimit)
	found := []any{}
	next := e.patternMatches(args[1], s)
	for m, ok := next(); ok && len(found) < limit; m, ok = next() {
		groups := m.groups
		if groups == nil {
			groups = []any{}
		}
		e.steps(2)
		found = append(found, any(objectFrom(matchKeys, []any{m.text, boxInt(m.start), groups}, nil)))
	}
	e.allocItems(5 * len(found))
	return marked(found, sequence)
}

// patternMatches are the matches of a string, or of a function that is a pattern.
func (e *Evaluator) patternMatches(pattern any, text string) matcher {
	if s, ok := pattern.(string); ok {
		return e.literal(s, text)
	}
	fn, ok := pattern.(*Function)
	if !ok {
		return func() (match, bool) { return match{}, false }
	}
	return e.matches(fn, text)
}

var matchKeys = []string{"match", "index", "groups"}

func callSplit(e *Evaluator, args []any) any {
	s := args[0].(string)
	limit := e.most(args, 2, "D3020", "split", noLimit)
	out := []any{}
	if limit == 0 {
		return out
	}
	sep, isText := args[1].(string)
	if args[1] == nil {
		e.bad(1, "T0410", "$split: argument 2 must be a string or a function, got undefined")
	}
	add := func(part string) {
		e.step()
		if out = append(out, any(part)); len(out) > e.limits.MaxItems {
			e.stop(tooMany("the result of $split", e.limits.MaxItems))
		}
		e.alloc(32)
	}
	if isText {
		if x, ok := e.number(args[2]); ok {
			limit = min(limit, int(min(x, noLimit)))
		}
		n := strings.Count(s, sep) + 1
		if sep == "" {
			n = runeCount(s)
		}
		if n = min(n, limit); n > e.limits.MaxItems {
			e.stop(tooMany("the result of $split", e.limits.MaxItems))
		}
		out = make([]any, 0, n)
		for part := range strings.SplitSeq(s, sep) {
			if len(out) >= limit {
				break
			}
			add(part)
		}
		return out
	}
	next := e.matches(args[1].(*Function), s)
	end := 0
	m, more := next()
	for ; more && len(out) < limit; m, more = next() {
		add(s[min(end, m.from):max(end, m.from)])
		end = m.to
	}
	if len(out) < limit {
		add(s[min(end, len(s)):])
	}
	return out
}

// callReplace is $replace(string, pattern, replacement, limit?).
func callReplace(e *Evaluator, args []any) any {
	s := args[0].(string)
	if args[1] == "" {
		e.bad(1, "D3010", "the pattern of $replace must not be empty")
	}
	limit := e.most(args, 3, "D3011", "replace", noLimit)
	pattern, literal := args[1].(string)
	var next matcher
	switch {
	case literal:
		next = e.literal(pattern, s)
	case args[1] == nil && limit == 0:
		return s
	case args[1] == nil:
		e.bad(1, "T0410", "$replace: argument 2 must be a string or a function, got undefined")
	default:
		next = e.matches(args[1].(*Function), s)
	}
	with, isText := args[2].(string)
	fn, isFunction := args[2].(*Function)
	var b strings.Builder
	end := 0
	m, more := next()
	var rest *Function
	if isFunction {
		rest = &Function{name: "next", native: func(e *Evaluator, _ []any) any { return e.matchObject(next) }}
	}
	for n := 0; more && n < limit; n++ {
		if literal && !isText && (!isFunction || !fn.passed && fn.regex == nil) { // as in jsonata-js, which adds it to a string
			with, isText, isFunction = e.javaScriptText(args[2], 0), true, false
		}
		if !isText && (literal || !isFunction) {
			e.bad(2, "D3012", "the replacement of $replace must be a string or, for a regular expression, a function; got %s", describe(args[2]))
		}
		before := s[min(end, m.from):max(end, m.from)]
		b.WriteString(before)
		text := with
		switch {
		case isFunction:
			text = e.replacement(fn, m, rest)
		case !literal:
			text = expand(with, m)
		}
		e.steps(1)
		e.room("the result of $replace", len(text)+len(before))
		if b.Len()+len(text)+len(s)-m.to > e.limits.MaxResult {
			e.stop(tooBig("the result of $replace", e.limits.MaxResult))
		}
		b.WriteString(text)
		if end = m.to; m.object != nil {
			e.steps(len(m.text) >> 6)
			end = e.offset(s, m.start+runeCount(m.text))
		}
		m, more = next()
	}
	b.WriteString(s[end:])
	return b.String()
}

// replacement is what a function makes of a match, which is followed by those of rest.
func (e *Evaluator) replacement(fn *Function, m match, rest *Function) string {
	object := m.object
	if object == nil {
		object = objectFrom(nextKeys, []any{m.text, boxInt(m.start), boxInt(m.end), m.groups, rest}, nil)
	}
	v := e.invoke(fn, e.call.node, object)
	text, ok := v.(string)
	if !ok {
		e.bad(2, "D3012", "the function given to $replace must return a string; got %s", describe(v))
	}
	return text
}

// expand fills a replacement in: $0 is the match, $1 a group, $$ a dollar. Of a number
// with more digits than there are groups, as many digits count as name one; if none do,
// the first is dropped.
func expand(text string, m match) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		switch {
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "0"):
			b.WriteString(m.text)
			text = rest[1:]
		default:
			text = rest[writeGroup(&b, rest, m.groups):]
		}
	}
}

// writeGroup writes the group that rest begins with the number of, and returns how many
// bytes that number takes.
func writeGroup(b *strings.Builder, rest string, groups []any) int {
	digits := len(strconv.Itoa(max(len(groups), 1)))
	n, used := 0, 0
	for i := 0; i < len(rest) && i < digits && rest[i] >= '0' && rest[i] <= '9'; i++ {
		n, used = n*10+int(rest[i]-'0'), i+1
	}
	if used == 0 {
		b.WriteByte('$')
		return 0
	}
	if digits > 1 && n > len(groups) && used > 1 {
		n, used = n/10, used-1
	}
	if n >= 1 && n <= len(groups) {
		s, _ := groups[n-1].(string)
		b.WriteString(s)
	}
	return used
}
