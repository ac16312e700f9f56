package expr

import (
	"regexp"
	resyntax "regexp/syntax"
	"strings"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A pattern is a regular expression of an expression, or a literal string in
// the place of one.
type pattern struct {
	re    *regexp.Regexp
	text  string // what to find, when re is nil
	insts int    // size of the automaton
}

// maxRegexWork bounds automaton size times text length: matching is linear in
// each, and a single match cannot be interrupted. It is about two seconds.
const maxRegexWork = 100_000_000

// patterns are the most recently used, as gnata keeps every one for ever.
var patterns, _ = lru.New[string, *pattern](512)

// patternOf compiles what gnata gives for a regular expression: its source and
// flags. A nil pattern means that v is not one.
func patternOf(v any) (*pattern, error) {
	m, ok := v.(map[string]any)
	if !ok || !isRegex(m) {
		return nil, nil
	}
	src, _ := m["pattern"].(string)
	flags, _ := m["flags"].(string)
	key := flags + "/" + src
	if p, ok := patterns.Get(key); ok {
		return p, nil
	}
	text := src
	if f := strings.Map(func(r rune) rune {
		if strings.ContainsRune("ims", r) {
			return r
		}
		return -1
	}, flags); f != "" {
		text = "(?" + f + ")" + src
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, badRegex(src, err)
	}
	tree, err := resyntax.Parse(text, resyntax.Perl)
	if err != nil {
		return nil, badRegex(src, err)
	}
	prog, err := resyntax.Compile(tree.Simplify())
	if err != nil {
		return nil, badRegex(src, err)
	}
	p := &pattern{re: re, insts: len(prog.Inst)}
	patterns.Add(key, p)
	return p, nil
}

func badRegex(src string, err error) error {
	e := &jsonata.Error{Code: "D3137", Message: "the regular expression /" + src + "/ is not valid: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")}
	if strings.Contains(src, "(?=") || strings.Contains(src, "(?!") || strings.Contains(src, "(?<") {
		e.Hint = "look-ahead, look-behind and back-references are not supported (RE2 syntax)"
	}
	return e
}

var emptyRegexp = regexp.MustCompile("")

// literalPattern matches s itself, which need not be valid UTF-8.
func literalPattern(s string) *pattern {
	if s == "" {
		return &pattern{re: emptyRegexp, insts: 1}
	}
	return &pattern{text: s, insts: 1}
}

// maxMatches bounds the matches of one call, each of which is an object or at
// least a few offsets.
const maxMatches = 250_000

// find returns at most limit matches (-1: all) in s, as offsets of the match
// and its groups.
func (p *pattern) find(g *guard, s string, limit int) ([][]int, error) {
	if p.insts*len(s) > maxRegexWork {
		return nil, g.stop(&jsonata.Error{
			Code:    "too-much-work",
			Message: "the regular expression is too large for so long a text",
			Hint:    "avoid counted repetitions such as {1000}, or match in a part of the text",
		})
	}
	most := min(maxMatches, g.limits.MaxItems)
	if limit < 0 || limit > most {
		limit = most + 1
	}
	found := p.all(s, limit)
	if len(found) > most {
		return nil, g.stop(tooMany("the list of matches of a pattern", most))
	}
	return found, g.check()
}

// all returns at most limit matches in s.
func (p *pattern) all(s string, limit int) [][]int {
	if p.re != nil {
		return p.re.FindAllStringSubmatchIndex(s, limit)
	}
	var found [][]int
	for at := 0; len(found) < limit; {
		i := strings.Index(s[at:], p.text)
		if i < 0 {
			break
		}
		found = append(found, []int{at + i, at + i + len(p.text)})
		at += i + len(p.text)
	}
	return found
}

// limitOf is the optional number of matches or parts in args[i]; -1 is all.
func limitOf(name string, args []any, i int) (int, error) {
	if len(args) <= i || args[i] == nil {
		return -1, nil
	}
	f, ok := number(args[i])
	if !ok {
		return 0, fail("T0410", "argument %d of $%s is how many at most, a number; got %s", i+1, name, describeValue(args[i]))
	}
	if f < 0 {
		return 0, fail(map[string]string{"split": "D3020", "replace": "D3011", "match": "D3040"}[name], "argument %d of $%s must not be negative; got %s", i+1, name, describeValue(args[i]))
	}
	return int(min(f, 1<<31)), nil
}

// match is $match(string, pattern, limit?): for each match its text, where it
// begins in characters, and its groups.
func match(args []any, focus any, f frame) (any, error) {
	s, p, err := subject("match", args)
	if err != nil || p == nil || len(args) > 3 {
		return originalMatch(args, focus, f, err)
	}
	limit, err := limitOf("match", args, 2)
	if err != nil {
		return nil, err
	}
	found, err := p.find(guardOf(f), s, limit)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(found))
	at := counter{s: s}
	for i, m := range found {
		o := NewObject()
		o.Set("match", s[m[0]:m[1]])
		o.Set("index", at.runes(m[0]))
		o.Set("groups", groups(s, m))
		out[i] = o
	}
	return natives().values(out), nil
}

var matchOriginal = original("match")

func originalMatch(args []any, focus any, f frame, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return matchOriginal(args, focus, f)
}

// subject is the string and pattern of a call. A nil pattern leaves the call to
// gnata: undefined, the wrong type, or a function as matcher.
func subject(name string, args []any) (string, *pattern, error) {
	if len(args) < 2 {
		return "", nil, nil
	}
	s, ok := args[0].(string)
	if !ok {
		return "", nil, nil
	}
	if text, ok := args[1].(string); ok && name == "match" {
		return s, literalPattern(text), nil
	}
	p, err := patternOf(args[1])
	return s, p, err
}

func groups(s string, m []int) []any {
	out := make([]any, 0, len(m)/2-1)
	for i := 2; i < len(m); i += 2 {
		text := ""
		if m[i] >= 0 {
			text = s[m[i]:m[i+1]]
		}
		out = append(out, text)
	}
	return out
}

// A counter turns rising byte offsets into characters, in one pass.
type counter struct {
	s        string
	at, seen int
}

func (c *counter) runes(offset int) float64 {
	c.seen += utf8.RuneCountInString(c.s[c.at:offset])
	c.at = offset
	return float64(c.seen)
}

// containsText is $contains(string, pattern). A list of strings contains what
// one of them does, as in gnata.
func containsText(args []any, focus any, f frame) (any, error) {
	if len(args) == 1 && focus != nil {
		args = []any{focus, args[0]}
	}
	if len(args) == 2 && args[1] == nil {
		return nil, nil
	}
	if s, p, err := subject("contains", args); err != nil {
		return nil, err
	} else if p != nil {
		found, err := p.find(guardOf(f), s, 1)
		return len(found) > 0, err
	}
	if items, ok := first(args).([]any); ok && len(args) == 2 {
		for _, item := range items {
			if s, ok := item.(string); ok {
				found, err := containsText([]any{s, args[1]}, nil, f)
				if err != nil || found == true {
					return found, err
				}
			}
		}
		return false, guardOf(f).Err()
	}
	return originalContains(args, nil, f)
}

var originalContains = original("contains")

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}
