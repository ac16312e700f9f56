package expr

import (
	"strings"
)

// replace is $replace(string, pattern, replacement, limit?).
func replace(args []any, focus any, f frame) (any, error) {
	_, p, err := subject("replace", args)
	if err != nil {
		return nil, err
	}
	g := guardOf(f)
	if len(args) > 1 && p == nil {
		if text, ok := args[1].(string); ok && text != "" {
			p = literalPattern(text)
		}
	}
	s, ok := first(args).(string)
	if !ok || p == nil || len(args) < 3 || len(args) > 4 || len(args) == 4 && args[3] == nil {
		return originalReplace(args, focus, f)
	}
	limit, err := limitOf("replace", args, 3)
	if err != nil {
		return nil, err
	}
	with, err := replacement(args, f)
	if err != nil {
		return nil, err
	}
	found, err := p.find(g, s, limit)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	end, at := 0, counter{s: s}
	for _, m := range found {
		if m[0] == m[1] {
			return nil, fail("D1004", "the regular expression of $replace matches the empty string")
		}
		b.WriteString(s[end:m[0]])
		text, err := with(s, m, &at)
		if err != nil {
			return nil, err
		}
		if err := g.text("replace", b.Len()+len(text)+len(s)-m[1]); err != nil {
			return nil, err
		}
		b.WriteString(text)
		end = m[1]
	}
	b.WriteString(s[end:])
	return b.String(), nil
}

var originalReplace = original("replace")

// replacement is what a match becomes: a string, in which $1 is a group when
// the pattern is a regular expression, or what a function makes of it.
func replacement(args []any, f frame) (func(s string, m []int, at *counter) (string, error), error) {
	text, isText := args[2].(string)
	if _, literal := args[1].(string); isText && literal {
		return func(string, []int, *counter) (string, error) { return text, nil }, nil
	}
	if isText {
		return func(s string, m []int, _ *counter) (string, error) {
			return expand(text, s[m[0]:m[1]], groups(s, m)), nil
		}, nil
	}
	if !isFunction(args[2]) {
		return nil, fail("T0410", "the replacement of $replace must be a string or a function; got %s", describeValue(args[2]))
	}
	return func(s string, m []int, at *counter) (string, error) {
		o := NewObject()
		o.Set("match", s[m[0]:m[1]])
		o.Set("start", at.runes(m[0]))
		o.Set("end", at.runes(m[1]))
		o.Set("groups", groups(s, m))
		v, err := originalMap([]any{[]any{o}, args[2]}, nil, f)
		if err != nil {
			return "", err
		}
		text, ok := v.(string)
		if !ok {
			return "", fail("D3012", "the function given to $replace must return a string; got %s", describeValue(v))
		}
		return text, nil
	}, nil
}

var originalMap = original("map")

// expand fills a replacement in: $0 is the match, $1 a group, $$ a dollar. Of a
// number with more digits than there are groups, as many digits count as name
// one; if none do, the first is dropped.
func expand(text, whole string, groups []any) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !found:
			return b.String()
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
			continue
		case rest == "" || rest[0] < '0' || rest[0] > '9':
			b.WriteByte('$')
			text = rest
			continue
		case rest[0] == '0':
			b.WriteString(whole)
			text = rest[1:]
			continue
		}
		n, used := 0, 0
		for i := 0; i < len(rest) && rest[i] >= '0' && rest[i] <= '9' && i < 4; i++ {
			if d := n*10 + int(rest[i]-'0'); d <= len(groups) {
				n, used = d, i+1
			} else {
				break
			}
		}
		if used > 0 {
			b.WriteString(groups[n-1].(string))
		} else {
			used = 1
		}
		text = rest[used:]
	}
}
