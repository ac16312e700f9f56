package jsonata

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
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

// listed are the classes of difference that are on purpose: see "Known differences" in
// docs/expressions.md. Each holds exactly where it is what makes the difference.
var listed = []struct {
	name  string
	holds func(c *comparison) bool
}{
	{"digits of a number as they are written", func(c *comparison) bool { return c.agreesWith(rounded, 0) }},
	{"characters of two UTF-16 units are one", func(c *comparison) bool { return c.agreesWith(narrow, 0) }},
	{"last digit of $power", func(c *comparison) bool {
		return strings.Contains(c.source, "$power(") && agree(c.ours.rounded(), c.theirs.rounded())
	}},
	{"not finite: an error here, null there", func(c *comparison) bool {
		return c.ours.Error == "not-a-number" && (strings.Contains(c.theirs.Result, "null") || c.theirs.Error != "")
	}},
	{"function in a result: an error here", func(c *comparison) bool {
		return c.ours.Error == "function-result" && (strings.Contains(c.theirs.Result, "function") || c.theirs.Error != "")
	}},
	{"crash of the reference", func(c *comparison) bool { return c.theirs.Error == "crash" }},
	{"endless in the reference", func(c *comparison) bool { return c.theirs.Error == "endless" }},
	{"$sift without a function", func(c *comparison) bool { return strings.HasPrefix(c.ours.Message, "$sift: argument") }},
	{"text that is not base64", func(c *comparison) bool { return strings.HasPrefix(c.ours.Message, "$base64decode: ") }},
	{"$parseInteger of no number: an error here, null there", func(c *comparison) bool {
		return strings.HasPrefix(c.ours.Message, "$parseInteger: ")
	}},
	{"replacement of a string by what is none", func(c *comparison) bool {
		return strings.HasPrefix(c.ours.Message, "the replacement of $replace must be")
	}},
	{"a slash behind a bracket begins a regular expression there", func(c *comparison) bool {
		return c.theirs.Error == "S0302" && c.ours.Error != "syntax"
	}},
	{"empty array that a grouping puts null into there", func(c *comparison) bool {
		without := strings.NewReplacer("[null]", "[]")
		return c.theirs.Error == "" && agree(outcome{Result: without.Replace(c.ours.Result)}, outcome{Result: without.Replace(c.theirs.Result)}) &&
			c.written(func(n *Node) bool { return n.Kind == KindObject || n.Kind == KindGroup })
	}},
	{"predicate behind a sort of what binds variables: it sees none there", func(c *comparison) bool {
		return c.written(func(n *Node) bool {
			return n.Kind == KindPath && slices.ContainsFunc(n.Args, isTuple) && slices.ContainsFunc(n.Args, func(s *Node) bool { return s.Kind == KindSort && len(s.Stages) > 0 })
		})
	}},
	{"which of the errors of several items or pairs comes first", func(c *comparison) bool {
		return c.ours.Error != "" && c.theirs.Error != "" && c.written(func(n *Node) bool {
			return n.Kind == KindArray && len(n.Args) > 1 || (n.Kind == KindObject || n.Kind == KindGroup)
		})
	}},
	{"arguments of a partial application are checked", func(c *comparison) bool {
		return strings.HasPrefix(c.ours.Error, "T041") && c.written(func(n *Node) bool { return n.Kind == KindPartial })
	}},
	{"what a function ends with", func(c *comparison) bool { return c.agreesWith(nothing, withoutTailCalls) }},
	{"$clone of any value", func(c *comparison) bool { return c.agreesWith(nothing, withoutClone) }},
	{"regular expression that is called with what is not a text", func(c *comparison) bool { return c.agreesWith(nothing, withTexts) }},
	{"several of these", func(c *comparison) bool {
		return c.agreesWith(strings.NewReplacer(bigDigits, "9007199254740992", "1e3", "1000", "😀", "€"), withoutTailCalls|withoutClone|withTexts)
	}},
}

// endless reports whether the reference may never end: a copy that "?:" and "??" make of a
// regular expression matches everywhere.
func (c *comparison) endless() bool {
	return c.written(func(n *Node) bool {
		return (n.Kind == KindElvis || n.Kind == KindCoalesce) && within(n.Args[0], KindRegex)
	})
}

// difference says how the outcomes differ, or "".
func (c *comparison) difference() string {
	if agree(c.ours, c.theirs) {
		return ""
	}
	for _, class := range listed {
		if class.holds(c) {
			c.class = class.name
			return ""
		}
	}
	return fmt.Sprintf("ours %+v, theirs %+v", c.ours, c.theirs)
}

// agree reports whether two outcomes are the same: the same value, or errors with the
// same code.
func agree(ours, theirs outcome) bool {
	if ours.Error != "" || theirs.Error != "" {
		return ours.Error == theirs.Error
	}
	return ours.Result == theirs.Result || same(ours.Result, theirs.Result, false)
}

// written reports whether the expression has a node for which is holds.
func (c *comparison) written(is func(*Node) bool) (found bool) {
	ast, fault := Parse(c.source)
	if fault != nil {
		return false
	}
	ast.Root.Each(func(n *Node) { found = found || is(n) })
	return found
}

func within(n *Node, kind Kind) (found bool) {
	n.Each(func(n *Node) { found = found || n.Kind == kind })
	return found
}

var (
	nothing = strings.NewReplacer()
	rounded = strings.NewReplacer(bigDigits, "9007199254740992", "1e3", "1000")
	narrow  = strings.NewReplacer("😀", "€")
)

// A rewriting keeps the meaning of an expression, and takes from it what the reference
// does otherwise.
type rewriting int

const (
	withoutTailCalls rewriting = 1 << iota // functions end with a variable, so that what they end with is evaluated where it is written
	withoutClone                           // $clone is a function that returns its argument
	withTexts                              // regular expressions are applied to texts only
)

// agreesWith reports whether both agree when texts are replaced, and the expression is
// rewritten for the reference.
func (c *comparison) agreesWith(replace *strings.Replacer, how rewriting) bool {
	source, input := replace.Replace(c.source), replace.Replace(c.input)
	rewritten := rewrite(source, how)
	if rewritten == c.source && input == c.input {
		return false
	}
	mine := c.ours
	if source != c.source || input != c.input {
		mine = ours(c.t, source, input)
	}
	return agree(mine, c.reference.eval(c.t, rewritten, input))
}

func rewrite(source string, how rewriting) string {
	ast, fault := Parse(source)
	if fault != nil {
		return source
	}
	var edits []diag.TextEdit
	ast.Root.Each(func(n *Node) {
		switch {
		case n.Kind == KindLambda && how&withoutTailCalls != 0:
			n = n.Args[len(n.Args)-1]
			edits = append(edits, diag.TextEdit{Start: n.Start, End: n.Start, New: "($end := "}, diag.TextEdit{Start: n.End, End: n.End, New: "; $end)"})
		case n.Kind == KindVariable && n.Text == "clone" && how&withoutClone != 0:
			edits = append(edits, diag.TextEdit{Start: n.Start, End: n.Start + len("$clone"), New: "(function($value) { ($end := $value; $end) })"})
		case n.Kind == KindApply && n.Args[1].Kind == KindRegex && how&withTexts != 0:
			n = n.Args[1]
			edits = append(edits, diag.TextEdit{Start: n.Start, End: n.Start, New: `function($text) { ($end := $type($text) = "string" ? $text ~> `}, diag.TextEdit{Start: n.End, End: n.End, New: "; $end) }"})
		}
	})
	slices.SortStableFunc(edits, func(a, b diag.TextEdit) int { return cmp.Compare(b.Start, a.Start) })
	for _, e := range edits {
		source = source[:e.Start] + e.New + source[e.End:]
	}
	return source
}

// rounded is the outcome with 14 digits of its numbers.
func (o outcome) rounded() outcome {
	o.Result = decimals.ReplaceAllStringFunc(o.Result, func(text string) string {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		return strconv.FormatFloat(x, 'g', 14, 64)
	})
	return o
}

var decimals = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)
