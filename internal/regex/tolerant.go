package regex

import (
	"regexp"
	"strings"
)

// A Matcher is a compiled pattern.
type Matcher interface {
	MatchString(text string) bool
	String() string // the pattern
}

// Tolerant compiles a pattern of a schema, which is JavaScript's; one that only Go reads,
// such as (?i)a in the middle, is Go's. One that cannot be read, or whose [Size]
// is above most, matches everything: a pattern that cannot be checked here must not
// refuse what its server accepts. Then checked is false. A pattern with look-around or
// references to groups also matches a text for which that cannot be found out in a number
// of steps that grows with the sizes of both.
func Tolerant(pattern string, most int64) (m Matcher, checked bool) {
	size := Size(pattern)
	if size == 0 || size > most {
		return anything(pattern), false
	}
	goes := strings.Contains(pattern, `\p`) || strings.Contains(pattern, `\P`) // JavaScript reads these with the flag u
	if portable, ok := Portable(pattern); ok && !goes {
		if m := tester(pattern, portable, size); m != nil {
			return m, true
		}
	}
	if re, err := regexp.Compile(pattern); err == nil {
		return &linear{anything(pattern), re}, true
	}
	if m := tester(pattern, pattern, size); m != nil && !goes {
		return m, true
	}
	return anything(pattern), false
}

// tester compiles a pattern of JavaScript, or returns nil.
func tester(original, pattern string, size int64) Matcher {
	root, groups, err := parse(pattern)
	if err != nil {
		return nil
	}
	back := backtracker{root: root, groups: groups}
	w := writer{backtracker: &back}
	if w.write(root) {
		if re, err := regexp.Compile(w.out.String()); err == nil {
			return &linear{anything(original), re}
		}
	}
	return &bounded{anything(original), back, size}
}

// A linear matcher takes time linear in the text.
type linear struct {
	anything
	re *regexp.Regexp
}

func (m *linear) MatchString(text string) bool { return m.re.MatchString(text) }

// A bounded matcher tries one way after the other, up to a number of steps.
type bounded struct {
	anything
	back backtracker
	size int64
}

// stepsPerSize is how many steps a bounded matcher makes for each instruction of the
// pattern and byte of the text, and freeBytes how many bytes are added to those.
const (
	stepsPerSize = 64
	freeBytes    = 16
)

type outOfSteps struct{}

func (m *bounded) MatchString(text string) (matches bool) {
	left := stepsPerSize * m.size * int64(len(text)+freeBytes)
	defer func() {
		if p := recover(); p != nil {
			if _, out := p.(outOfSteps); !out {
				panic(p)
			}
			matches = true
		}
	}()
	return m.back.find(text, 0, func(n int) {
		if left -= int64(n); left < 0 {
			panic(outOfSteps{})
		}
	}) != nil
}

// anything is a pattern whose matcher matches every text.
type anything string

func (anything) MatchString(string) bool { return true }

func (a anything) String() string { return string(a) }
