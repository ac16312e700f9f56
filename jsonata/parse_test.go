package jsonata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

func TestParseAgreesWithTheSuite(t *testing.T) {
	for _, c := range conformance.Cases(t) {
		_, err := Parse(c.Expr)
		if wrong := strings.HasPrefix(c.Code, "S0"); wrong && err == nil {
			t.Errorf("%s: %q parses; the suite wants %s", c.ID, c.Expr, c.Code)
		} else if !wrong && err != nil {
			t.Errorf("%s: %q: %s", c.ID, c.Expr, err.Message)
		}
	}
}

// Behind some closing brackets "/" opens a regular expression, as in the reference.
func TestSlashBehindBrackets(t *testing.T) {
	for src, want := range map[string]string{
		`items^(price) / 2`: "S0302", `items[] / 2`: "S0302", `function() { 1 } / 2`: "S0302", `|a|{}| / 2`: "S0302",
		`items[] /a/ 2`: "S0201", `(items[]) / 2`: "", `items[0] / 2`: "", `{} / 2`: "", `[1] / 2`: "", `$f() / 2`: "",
	} {
		got := ""
		if _, err := Parse(src); err != nil {
			got = err.Reference
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
}

// A tree is written as nested lists, its kinds by name.
func tree(n *Node) string {
	var b strings.Builder
	b.WriteString(n.Kind.String())
	if n.Text != "" {
		b.WriteString(":" + n.Text)
	}
	for _, c := range n.Args {
		b.WriteString(" " + tree(c))
	}
	for _, c := range n.Stages {
		b.WriteString(" [" + tree(c) + "]")
	}
	s := b.String()
	if n.Focus != nil {
		s += " @" + n.Focus.Text
	}
	if n.Index != nil {
		s += " #" + n.Index.Text
	}
	if n.KeepArray {
		s += " []"
	}
	if n.Group != nil {
		s += " {" + tree(n.Group) + "}"
	}
	return "(" + s + ")"
}

func TestParseTree(t *testing.T) {
	tests := []struct{ src, want string }{
		{`a.b[0].c`, `(path (name:a) (name:b [(number:0)]) (name:c))`},
		{`a[].b`, `(path (name:a []) (name:b) [])`},
		{`(a)[0][x]`, `(block (path (name:a)) [(number:0)] [(path (name:x))])`},
		{`a@$x#$i.b`, `(path (name:a @x #i) (name:b))`},
		{`a[1]#$i`, `(path (name:a [(number:1)] [(index:i)]))`},
		{`a^(>b, c)`, `(path (name:a) (sort (term:> (path (name:b))) (term (path (name:c)))))`},
		{`a{b: c}`, `(path (name:a) {(group (path (name:b)) (path (name:c)))})`},
		{`a + b * c - d`, `(binary:- (binary:+ (path (name:a)) (binary:* (path (name:b)) (path (name:c)))) (path (name:d)))`},
		{`a = b and c or d`, `(binary:or (binary:and (binary:= (path (name:a)) (path (name:b))) (path (name:c))) (path (name:d)))`},
		{`$f := function($x, $y)<n-n:n>{ $x }`, `(bind (variable:f) (lambda:<n-n:n> (variable:x) (variable:y) (variable:x)))`},
		{`$f(?, 1)`, `(partial (variable:f) (hole) (number:1))`},
		{`a ~> |b|{"c": 1}, "d"|`, `(apply (path (name:a)) (transform (path (name:b)) (object (string:c) (number:1)) (string:d)))`},
		{`a ? b : c ? d`, `(condition (path (name:a)) (path (name:b)) (condition (path (name:c)) (path (name:d))))`},
		{`[1..3, /x\/y/i]`, `(array (range (number:1) (number:3)) (regex:x\/y))`},
		{`a.*.%`, `(path (name:a) (wildcard) (parent))`},
		{`**.a`, `(path (descendant) (name:a))`},
		{`-a / -2 /* of x */ / 3`, `(binary:/ (binary:/ (negate (path (name:a))) (number:2)) (number:3))`},
		{`"\u00e9\ud83d\ude00\n".x`, "(path (name:é😀\n) (name:x))"},
		{"`a b`.and.`or`", `(path (name:a b) (name:and) (name:or))`},
	}
	for _, tt := range tests {
		ast, err := Parse(tt.src)
		if err != nil {
			t.Errorf("%s: %s", tt.src, err.Message)
			continue
		}
		if diff := cmp.Diff(tt.want, tree(ast.Root)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.src, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ src, at, message string }{
		{"", "", "the expression is empty"},
		{"  ", "", "the expression is empty"},
		{"$sum(\n  (1 + 2]", "]", `expected ")" to close the "(" at 2:3, got "]"`},
		{`{"a": [1, 2}`, "}", `expected "]" to close the "[" at 1:7, got "}"`},
		{`é.("x" & (y`, "", `expected ")" to close the "(" at 1:10, but the expression ends here`},
		{`a.`, "", `expected a value after ".", but the expression ends here`},
		{`a. + b`, "+", `expected a value after ".", got "+"`},
		{`/* a`, "/*", "the comment is never closed"},
		{`function($x)`, "", `expected "{" and the function's body, but the expression ends here`},
		{`function(1){1}`, "1", "the parameters of a function are variables"},
		{`a.%.%`, "%", `"%" has no parent here`},
	}
	for _, tt := range tests {
		_, err := Parse(tt.src)
		if err == nil {
			t.Errorf("%q parses", tt.src)
			continue
		}
		if at := tt.src[err.Start:err.End]; at != tt.at && tt.at != "" || err.Message != tt.message {
			t.Errorf("%q: at %q: %s\nwant at %q: %s", tt.src, at, err.Message, tt.at, tt.message)
		}
	}
}

// Hostile sizes are refused or parsed, in time that does not depend on how
// strange they are.
func TestParseHostile(t *testing.T) {
	mb := 1 << 20
	if testing.Short() {
		mb = 1 << 18
	}
	repeat := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	tests := []struct {
		name, src, message string
	}{
		{"parentheses", repeat("(", mb), "the expression nests deeper than 500 levels"},
		{"negations", repeat("!", mb), `"!" is not an operator of JSONata`},
		{"minus", repeat("-", mb), "the expression nests deeper than 500 levels"},
		{"objects", repeat(`{"a":`, mb), "the expression nests deeper than 500 levels"},
		{"arrows", repeat("x=>", mb), `"=>" is not JSONata`},
		{"conditions", repeat("a?b:", mb), "the expression nests deeper than 500 levels"},
		{"lets", repeat("let x = ", mb), "this is not how JSONata binds a variable"},
		{"sum", repeat("a+", mb) + "a", "more than 10000 operators follow each other on one level"},
		{"path", repeat("a.", mb) + "a", "more than 10000 operators follow each other on one level"},
		{"calls", "a" + repeat("()", mb), "more than 10000 operators follow each other on one level"},
		{"parents", repeat("a.%.", mb) + "a", `more than 1000 uses of "%" in one expression`},
		{"array", "[" + repeat("a.b+1,", mb) + "1]", ""},
		{"string", `"` + repeat(`\ud83d\ude00`, mb) + `"`, ""},
		{"predicates", "a" + repeat("[x]", mb), ""},
		{"equals", repeat("[a==b],", mb) + "1", `"==" is not an operator of JSONata`},
		{"signature", "function($a)" + repeat("<", mb), `expected ">" to close the "<" at 1:13, but the expression ends here`},
	}
	for _, tt := range tests {
		ast, err := Parse(tt.src)
		if tt.message == "" {
			if err != nil {
				t.Errorf("%s: %s", tt.name, err.Message)
				continue
			}
			ast.Refs()
			Lint(ast, lintNodes)
		} else if err == nil || err.Message != tt.message {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.message)
		}
	}
}

// What a parse says is within the text, and its repairs can be made.
func FuzzParse(f *testing.F) {
	for _, src := range []string{
		`a.b[0].c`, `$f := function($x, $y)<n-n:n>{ $x }`, `a ~> |b|{"c": 1}, "d"|`, `items.map((v, i) => v.price && !i)`,
		`if (a) b else c`, `let x = 1; x`, "`a ${b}`", `a@$x.b#$i[%.c]^(>d){e: f}`, `''a''`, `{{ a }}`, `"\ud83d\u00e9`, `x || y ?. z ** 2`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		ast := &AST{}
		errs := ast.parse(src)
		if ast.Root == nil && len(errs) == 0 {
			t.Fatal("no tree and no error")
		}
		if ast.Root != nil {
			inside(t, ast.Root, len(src))
			for _, r := range ast.Refs().Nodes {
				if r.Start < 0 || r.End > len(src) || r.Start >= r.End {
					t.Fatalf("reference to %q at [%d,%d) of %d", r.Node, r.Start, r.End, len(src))
				}
			}
			errs = append(errs, Lint(ast, lintNodes)...)
			if len(errs) == 0 {
				renamed, _ := Rename(src, ast, "a", "x-y")
				if _, err := Parse(renamed); err != nil {
					t.Fatalf("%q renamed is %q: %s", src, renamed, err.Message)
				}
			}
		}
		for _, e := range errs {
			if e.Start < 0 || e.End > len(src) || e.Start > e.End || e.Message == "" || e.Code == "" {
				t.Fatalf("%+v of %d bytes", e, len(src))
			}
			diag.ApplyEdits(src, e.Edits)
		}
	})
}

func inside(t *testing.T, n *Node, length int) {
	if n.Start < 0 || n.End > length || n.Start > n.End || n.Kind == KindBad {
		t.Fatalf("%s at [%d,%d) of %d", n.Kind, n.Start, n.End, length)
	}
	for _, c := range n.Args {
		inside(t, c, length)
	}
	for _, c := range n.Stages {
		inside(t, c, length)
	}
	if n.Group != nil {
		inside(t, n.Group, length)
	}
}

func BenchmarkParse(b *testing.B) {
	short := `{"total": $sum(list.items[price > 10].(price * qty)), "names": list.items.name ~> $join(", "), "n": $count(list.items)}`
	long := "[" + strings.Repeat(short+", ", 1<<20/len(short)) + "1]"
	for _, bb := range []struct{ name, src string }{{"short", short}, {"1MB", long}} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(bb.src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	ast, _ := Parse(short)
	b.Run("refs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ast.Refs()
		}
	})
}
