package regex

import "regexp"

// A Matcher is a compiled pattern.
type Matcher interface {
	MatchString(text string) bool
	String() string // the pattern
}

// Tolerant compiles a pattern of a schema. One that Go cannot express, such as a
// look-around or a back reference, or of which the [Size] is above most, matches
// everything: a pattern that cannot be checked here must not refuse what its server
// accepts. Then checked is false.
func Tolerant(pattern string, most int64) (m Matcher, checked bool) {
	if Size(pattern) <= most {
		if re, err := regexp.Compile(pattern); err == nil {
			return re, true
		}
	}
	return anything(pattern), false
}

type anything string

func (anything) MatchString(string) bool { return true }

func (a anything) String() string { return string(a) }
