package workspace

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds on one pattern: its text, and the alternatives its braces make.
const (
	maxGlobBytes    = 4096
	maxAlternatives = 256
)

// A glob matches slash-separated relative paths as the npm server does: * and ?
// stay within a name, ** crosses names, [a-z] is a class, {a,b} and {1..3} are
// alternatives, ?(a|b) *(…) +(…) @(…) are groups, a leading ! inverts, and
// names that begin with a dot are like any other.
type glob struct {
	alternatives []*regexp.Regexp
	inverted     bool
}

func compileGlob(pattern string) (*glob, error) {
	if len(pattern) > maxGlobBytes {
		return nil, fmt.Errorf("the pattern has %d bytes, more than the %d allowed", len(pattern), maxGlobBytes)
	}
	g := &glob{}
	rest := pattern
	for strings.HasPrefix(rest, "!") && !strings.HasPrefix(rest, "!(") {
		g.inverted = !g.inverted
		rest = rest[1:]
	}
	if rest == "" || strings.HasPrefix(rest, "#") {
		return g, nil
	}
	all, err := braces(rest)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	for _, p := range all {
		re, err := translate(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		g.alternatives = append(g.alternatives, re)
	}
	return g, nil
}

func (g *glob) match(path string) bool {
	for _, re := range g.alternatives {
		if re.MatchString(path) {
			return !g.inverted
		}
	}
	return g.inverted
}

func matchAny(globs []*glob, path string) bool {
	return slices.ContainsFunc(globs, func(g *glob) bool { return g.match(path) })
}

// translate turns a pattern without braces into a regular expression, name by
// name: ** as a whole name matches any number of them, none included.
func translate(pattern string) (*regexp.Regexp, error) {
	names := strings.Split(pattern, "/")
	var re strings.Builder
	re.WriteString("^")
	for i, name := range names {
		last := i == len(names)-1
		switch {
		case name == "**" && last && i > 0:
			re.WriteString(".+")
		case name == "**" && last:
			re.WriteString(".*")
		case name == "**":
			re.WriteString("(?:[^/]+/)*")
		default:
			part, err := translateName(name)
			if err != nil {
				return nil, err
			}
			re.WriteString(part)
			if !last {
				re.WriteString("/")
			}
		}
	}
	re.WriteString("$")
	return regexp.Compile("(?s)" + re.String())
}

// translateName turns one path name of a pattern into a regular expression.
func translateName(name string) (string, error) {
	if strings.Trim(name, "*") == "" && name != "" {
		return "[^/]+", nil
	}
	var re strings.Builder
	var groups []string // what closes each open group
	in := []rune(name)
	for i := 0; i < len(in); i++ {
		c := in[i]
		if strings.ContainsRune("?*+@!", c) && i+1 < len(in) && in[i+1] == '(' {
			if c == '!' {
				return "", errors.New("!(…) is not supported; use excludePatterns")
			}
			end := map[rune]string{'?': ")?", '*': ")*", '+': ")+", '@': ")"}[c]
			groups = append(groups, end)
			re.WriteString("(?:")
			i++
			continue
		}
		switch {
		case c == '*':
			re.WriteString("[^/]*")
		case c == '?':
			re.WriteString("[^/]")
		case c == '\\' && i+1 < len(in):
			i++
			re.WriteString(regexp.QuoteMeta(string(in[i])))
		case c == '|' && len(groups) > 0:
			re.WriteString("|")
		case c == ')' && len(groups) > 0:
			re.WriteString(groups[len(groups)-1])
			groups = groups[:len(groups)-1]
		case c == '[':
			class, next := classAt(in, i)
			re.WriteString(class)
			i = next
		default:
			re.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if len(groups) > 0 {
		return "", fmt.Errorf("a group in %q is not closed", name)
	}
	return re.String(), nil
}

// classAt reads the class that begins at in[i] and returns it with the index of
// its last rune; an unclosed bracket matches itself.
func classAt(in []rune, i int) (string, int) {
	start := i + 1
	negate := start < len(in) && (in[start] == '!' || in[start] == '^')
	if negate {
		start++
	}
	end := start
	for end < len(in) && (in[end] != ']' || end == start) {
		if in[end] == '[' && end+1 < len(in) && in[end+1] == ':' {
			if n := strings.Index(string(in[end:]), ":]"); n > 0 {
				end += len([]rune(string(in[end:])[:n])) + 1
			}
		}
		end++
	}
	if end >= len(in) {
		return regexp.QuoteMeta("["), i
	}
	body := strings.NewReplacer(`\`, `\\`, "&&", `&\&`).Replace(string(in[start:end]))
	if strings.HasPrefix(body, "]") {
		body = `\` + body
	}
	class := "[" + body + "]"
	if negate {
		class = "[^/" + body + "]"
	}
	if _, err := regexp.Compile(class); err != nil {
		return regexp.QuoteMeta("["), i
	}
	return class, end
}
