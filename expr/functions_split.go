package expr

import (
	"strings"
	"unicode/utf8"
)

// split is $split(string, separator, limit?).
func split(args []any, focus any, f frame) (any, error) {
	s, p, err := subject("split", args)
	if err != nil {
		return nil, err
	}
	sep, isText := "", false
	if len(args) > 1 {
		sep, isText = args[1].(string)
	}
	if _, ok := first(args).(string); !ok || len(args) > 3 || p == nil && !isText {
		return originalSplit(args, focus, f)
	}
	limit, err := limitOf("split", args, 2)
	if err != nil {
		return nil, err
	}
	g := guardOf(f)
	if isText {
		return splitText(g, s, sep, limit)
	}
	found, err := p.find(g, s, limit)
	if err != nil {
		return nil, err
	}
	out, end := []any{}, 0
	for _, m := range found {
		out = append(out, s[end:m[0]])
		end = m[1]
	}
	if limit < 0 || len(out) < limit {
		out = append(out, s[end:])
	}
	return out, nil
}

var originalSplit = original("split")

func splitText(g *guard, s, sep string, limit int) (any, error) {
	n := strings.Count(s, sep) + 1
	if sep == "" {
		n = utf8.RuneCountInString(s)
	}
	if limit >= 0 {
		n = min(n, limit)
	}
	if err := g.items("split", n); err != nil {
		return nil, err
	}
	out := make([]any, 0, n)
	for part := range strings.SplitSeq(s, sep) {
		if len(out) == n {
			break
		}
		out = append(out, part)
	}
	return out, nil
}
