package jsonata

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// bigDigits is a number that no float64 is.
const bigDigits = "9007199254740993"

// A comparison is one expression over one value, as both evaluate it.
type comparison struct {
	t             *testing.T
	reference     *reference
	source, input string
	ours, theirs  outcome
	class         string // of the difference
}

// listed are the classes of difference that are on purpose, besides [mends]: see "Known
// differences" in docs/measured/expressions.md. Each holds where it is what makes the difference.
var listed = []struct {
	name  string
	holds func(c *comparison) bool
}{
	{"crash of jsonata-js", func(c *comparison) bool { return c.theirs.Error == "crash" && c.ours.Error != "" }},
	{"digits", func(c *comparison) bool { return c.agreesWith(rounded) }},
	{"characters beyond U+FFFF", func(c *comparison) bool { return c.agreesWith(basic) }},
	{"digits of $formatBase", func(c *comparison) bool {
		return strings.Contains(c.source, "$formatBase(") && len(c.ours.Result) == len(c.theirs.Result) && len(c.ours.Result) > 12 && c.ours.Result[:10] == c.theirs.Result[:10]
	}},
	{"first of several errors", func(c *comparison) bool { return c.ours.Error != "" && c.theirs.Error != "" && c.concurrent() }},
	{"variable bound in an array or object", func(c *comparison) bool { return strings.Contains(c.source, ":=") && c.concurrent() }},
	{"copy of the left side of ?: and ??", func(c *comparison) bool { return c.copied() }},
	{"unchecked arguments of a partial application", func(c *comparison) bool { // and another error, which comes later here
		return strings.HasPrefix(c.ours.Error, "T041") && c.theirs.Error != "" && c.applies()
	}},
}

// difference says how the outcomes differ, or "".
func (c *comparison) difference() string {
	c.theirs = c.reference.eval(c.t, c.source, c.input)
	switch {
	case agree(c.ours, c.theirs):
		return ""
	case c.theirs.Error == "endless" || strings.HasPrefix(c.theirs.Message, "Invalid ") && strings.HasSuffix(c.theirs.Message, " length"): // of what grew until then
		c.class = "time"
		return ""
	case c.theirs.Message == "Maximum call stack size exceeded":
		c.class = "depth"
		return ""
	}
	for _, mend := range mendNames {
		if agree(c.ours, c.reference.eval(c.t, c.source, c.input, mend)) {
			c.class = mend
			return ""
		}
	}
	if c.listed() {
		return ""
	}
	plain := c.theirs
	c.theirs = c.reference.eval(c.t, c.source, c.input, mendNames...)
	if agree(c.ours, c.theirs) || c.listed() || c.agreesWith(rounded, mendNames...) || c.agreesWith(roundedAndBasic, mendNames...) {
		c.class = "several of these"
		return ""
	}
	return fmt.Sprintf("ours %+v, theirs %+v", c.ours, plain)
}

var mendNames = slices.Sorted(maps.Keys(mends))

// listed reports whether a class holds.
func (c *comparison) listed() bool {
	for _, class := range listed {
		if class.holds(c) {
			c.class = class.name
			return true
		}
	}
	return false
}

// agree reports whether two outcomes are the same: the same value, or errors with the
// same code.
func agree(ours, theirs outcome) bool {
	if ours.Error != "" || theirs.Error != "" {
		return ours.Error == theirs.Error
	}
	return ours.Result == theirs.Result || same(ours.Result, theirs.Result, false)
}

// applies reports whether the expression has a partial application.
func (c *comparison) applies() bool {
	return c.has(func(n *Node) bool { return n.Kind == KindPartial })
}

// concurrent reports whether the expression has an array or an object of several values, which
// jsonata-js evaluates concurrently.
func (c *comparison) concurrent() bool {
	return strings.Contains(c.source, "$eval(") || c.has(func(n *Node) bool {
		switch n.Kind {
		case KindArray:
			return len(n.Args) > 1
		case KindObject, KindGroup:
			return len(n.Args) > 2 || len(n.Args) == 2 && n.Args[0].Kind != KindString
		}
		return false
	})
}

// copied reports whether a left side of ?: or ?? has a regular expression or a function with a
// signature, which the copy of the syntax tree that jsonata-js tests has lost.
func (c *comparison) copied() bool {
	return c.has(func(n *Node) bool {
		if n.Kind != KindElvis && n.Kind != KindCoalesce {
			return false
		}
		lost := false
		n.Args[0].Each(func(n *Node) { lost = lost || n.Kind == KindRegex || n.Kind == KindLambda && n.Text != "" })
		return lost
	})
}

// has reports whether a node of the expression is such.
func (c *comparison) has(is func(*Node) bool) (found bool) {
	ast, fault := Parse(c.source)
	if fault != nil {
		return false
	}
	ast.Root.Each(func(n *Node) { found = found || is(n) })
	return found
}

// basic replaces characters beyond U+FFFF, which JavaScript takes for two, and their escapes.
var (
	beyond          = []string{`\ud83d\ude00`, "é", `\ud83d`, "é", `\ude00`, "é", "😀", "é"}
	digits          = []string{bigDigits, "9007199254740992"}
	basic           = strings.NewReplacer(beyond...)
	rounded         = strings.NewReplacer(digits...)
	roundedAndBasic = strings.NewReplacer(append(digits, beyond...)...)
)

// agreesWith reports whether both agree when texts are replaced, or jsonata-js then crashes
// where there is an error here.
func (c *comparison) agreesWith(replace *strings.Replacer, mended ...string) bool {
	source, input := replace.Replace(c.source), replace.Replace(c.input)
	if source == c.source && input == c.input {
		return false
	}
	a, b := ours(c.t, source, input), c.reference.eval(c.t, source, input, mended...)
	return agree(a, b) || a.Error != "" && b.Error == "crash"
}
