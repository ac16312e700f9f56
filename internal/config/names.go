package config

import "strings"

// Names allow and deny tools, resources and prompts by patterns, in which * stands for
// any characters and ? for one. What is denied is not allowed, whatever allows it. The
// zero Names allow everything.
type Names struct {
	Allow []string // empty allows everything that is not denied
	Deny  []string
}

// Allows reports whether a name is allowed, and not denied.
func (n Names) Allows(name string) bool {
	return (len(n.Allow) == 0 || matchAny(n.Allow, name)) && !matchAny(n.Deny, name)
}

func matchAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if Match(p, name) {
			return true
		}
	}
	return false
}

// Match reports whether a pattern describes the whole of a name.
func Match(pattern, name string) bool {
	star, from := -1, 0 // where to continue when what follows the last * does not fit
	i := 0
	for j := 0; j < len(name); {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, from = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == name[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
