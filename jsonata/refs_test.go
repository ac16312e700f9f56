package jsonata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes references as a reader would check them: node.path, with the
// function that names it when it is not a path, "*" for the whole context and
// "?" for what cannot be known.
func show(src string, r *Refs) string {
	var all []string
	for _, n := range r.Nodes {
		path := []string{n.Node}
		for _, f := range n.Path {
			path = append(path, f.Name)
			if !strings.Contains(src[f.Start:f.End], f.Name) {
				path = append(path, fmt.Sprintf("(placed at %q)", src[f.Start:f.End]))
			}
		}
		s := strings.Join(path, ".")
		if n.Via != viaPath {
			s = n.Via + ":" + s
		}
		if !strings.Contains(src[n.Start:n.End], n.Node) || n.End-n.Start > len(n.Node)+2 {
			s += fmt.Sprintf("(placed at %q)", src[n.Start:n.End])
		}
		all = append(all, s)
	}
	if r.WholeRoot {
		all = append(all, "*")
	}
	if r.Unknown {
		all = append(all, "?")
	}
	return strings.Join(all, " ")
}

func TestRefs(t *testing.T) {
	tests := []struct{ src, want string }{
		// plain
		{`a`, `a`},
		{`a.b.c`, `a.b.c`},
		{`$.a.b`, `a.b`},
		{`$$.a.b`, `a.b`},
		{"$.`my-node`.`x y`", `my-node.x y`},
		{`"a".b`, `a.b`},
		{`"a"`, ``},
		{`a.b[0].c[x > 1].d`, `a.b.c.d`},
		{`a[].b`, `a.b`},
		{`(a).b`, `a.b`},
		{`a.(b.c)`, `a`},
		{`a.$.b`, `a.b`},
		{`a.$$.b`, `a b`},
		{`a + b.c & d`, `a b.c d`},
		{`-a`, `a`},
		{`true and or`, `or`},
		{`a ? b.c : d`, `a b.c d`},
		{`a ?? b ?: c`, `a b c`},
		{`[a, b..c]`, `a b c`},
		{`{"x": a.b, "y": {"z": c}}`, `a.b c`},
		{`$.{"x": a}`, `a`},
		{`null`, ``},
		{`/a/`, ``},
		// the context changes
		{`items[price > 1]`, `items`},
		{`items[$$.limit.max > price]`, `items limit.max`},
		{`items[$.price > 1].name`, `items.name`},
		{`items.(price * qty)`, `items`},
		{`items.{"n": name, "t": $$.a.b}`, `items a.b`},
		{`items{category: $sum(price)}`, `items`},
		{`items^(>price, name)`, `items`},
		{`items^(>price).name`, `items.name`},
		{`items#$i[$i < 3].name`, `items.name`},
		{`loans@$l.books@$b[$l.isbn = $b.isbn].{"t": $b.title}`, `loans books`},
		{`loans@$l.books[isbn = 1].title`, `loans books.title`},
		{`a.b.%.c`, `a.b`},
		{`a.b.%.%.c`, `a.b c`},
		{`a[%.b.x = 1].c`, `a.c b.x`},
		{`a.b.{"x": %.c, "y": %.%.d.e}`, `a.b d.e`},
		{`$[0].a`, `a`},
		{`$[a = 1].b`, `a b`},
		{`a.*.b`, `a`},
		{`a.**.b`, `a`},
		// the context is seen
		{`$`, `*`},
		{`$$`, `*`},
		{`*`, `*`},
		{`**.a`, `*`},
		{`$keys($)`, `*`},
		{`$keys()`, `*`},
		{`a.$keys()`, `a`},
		{`a.$keys($$)`, `a *`},
		{`$string()`, `*`},
		{`$ ~> $keys()`, `*`},
		{`$ ~> |a|{"x": 1}|`, `a *`},
		{`a ~> |b|{"x": c}, "d"|`, `a`},
		{`[$]`, `*`},
		{`{"all": $}`, `*`},
		{`a ? $ : b`, `a b *`},
		{`function(){ $ }()`, `*`},
		{`$f($)`, `*`},
		{`$exists($.a)`, `a`},
		// variables
		{`($x := a.b; $x.c + $x.d)`, `a.b`},
		{`($x := $; $x.a.b)`, `a.b`},
		{`($x := $$; $y := $x; $y.a)`, `a`},
		{`($x := $; $x := a; $x.b)`, `a *`},
		{`($x := $; ($x := a; $x.b); $x.c)`, `a c`},
		{`$x := a`, `a`},
		{`($map(items, function($v){ $v.price }))`, `items`},
		{`$map(items, function($v){ $v.price * $.rate.x })`, `items rate.x`},
		{`$map(items, function($v){ $v.price * rate.x })`, `items rate.x`},
		{`items.$map(parts, function($v){ rate })`, `items`},
		{`($f := function($x){ $x.a }; $f($))`, `*`},
		{`($f := function(){ $g().b }; $g := function(){ a }; $f())`, `a`},
		{`($f := function(){ $r.a }; $r := $; $f())`, `*`},
		{`($f := function($n){ $n > 0 ? $f($n - 1) : done }; $f(3))`, `done`},
		{`items ~> $filter(function($v){ $v.ok })`, `items`},
		{`items.name ~> $join(", ")`, `items.name`},
		{`$reduce(items, function($a, $b){ $a + $b.n }, start.n)`, `items start.n`},
		// functions that name nodes
		{`$nodeExecution("a", 0).b.c`, `nodeExecution:a.b.c`},
		{`$nodeExecutions('a')[0].b`, `nodeExecutions:a.b`},
		{`$executionCount("a") < 3`, `executionCount:a`},
		{`"a" ~> $executionCount()`, `executionCount:a`},
		{`"a" ~> $executionCount`, `executionCount:a`},
		{`$nodeExecution("a", ?)`, `nodeExecution:a`},
		{`$nodeExecution(id.x, 0)`, `id.x ?`},
		{`$map(["a"], $executionCount)`, `?`},
		{`$nodeExecution(?, 0)`, `?`},
		{`($nodeExecution := function($x){ $x }; $nodeExecution("a"))`, ``},
		{`$lookup($, "a").b`, `lookup:a.b`},
		{`$lookup($, k.x)`, `k.x *`},
		{`$lookup(a, "b")`, `a`},
		{`$lookup("a")`, `lookup:a`},
		{`$eval("a")`, `a`},
		{`$eval("$.a.b & $nodeExecution('c', 0).d") & e`, `a.b nodeExecution:c.d e`},
		{`"x.y" ~> $eval()`, `x.y`},
		{`($v := $; $eval("$v.a"))`, `a`},
		{`b.$eval("a")`, `b`},
		{`$eval("a", $)`, `a`},
		{`$eval("a", b)`, `b ?`},
		{`$eval("$eval('a.b')")`, `a.b`},
		{`$eval("$$")`, `*`},
		{`$eval("a\u002eb")`, `* ?`},
		{`$eval("a(")`, `* ?`},
		{`$eval(a)`, `a * ?`},
		{`$previousNode().x`, ``},
	}
	for _, tt := range tests {
		ast, err := Parse(tt.src)
		if err != nil {
			t.Errorf("%s: %s", tt.src, err.Message)
			continue
		}
		if diff := cmp.Diff(tt.want, show(tt.src, ast.Refs())); diff != "" {
			t.Errorf("%s: references (-want +got)\n%s", tt.src, diff)
		}
	}
}

func TestRefsFunctions(t *testing.T) {
	src := `($now := $now(); $f := function($x){ $sum($x) }; ($f(a) ~> $string()) & $now & $random() & $itme; $map(a, $uppercase))`
	ast, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	r := ast.Refs()
	var calls, uses []string
	for _, c := range r.Functions {
		if src[c.Start:c.End] != "$"+c.Name {
			t.Errorf("$%s is placed at %q", c.Name, src[c.Start:c.End])
		}
		s := fmt.Sprintf("%s/%d", c.Name, c.Args)
		if c.Shadowed {
			s += " local"
		}
		calls = append(calls, s)
	}
	for _, u := range r.Variables {
		uses = append(uses, u.Name)
	}
	if diff := cmp.Diff([]string{"now/0", "sum/1", "f/1 local", "string/1", "random/0", "map/2"}, calls); diff != "" {
		t.Error("calls (-want +got)", diff)
	}
	if diff := cmp.Diff([]string{"itme", "uppercase"}, uses); diff != "" {
		t.Error("free variables (-want +got)", diff)
	}
	if diff := cmp.Diff([]string{"now", "random"}, r.NonDeterministic); diff != "" {
		t.Error("non-deterministic (-want +got)", diff)
	}
}

func TestRename(t *testing.T) {
	tests := []struct{ src, to, want string }{
		{`a.a.b + $.a & "a"`, "z", `z.a.b + $.z & "a"`},
		{"`a`.x", "z", "z.x"},
		{`a.x`, "my-node", "`my-node`.x"},
		{`a.x`, "and", "`and`.x"},
		{`"a".x`, "z", `"z".x`},
		{`$nodeExecution("a", -1).a`, "my-node", `$nodeExecution("my-node", -1).a`},
		{`items[a > 1].a & items.($$.a)`, "z", `items[a > 1].a & items.($$.z)`},
		{`a`, "b`c", "$.\"b`c\""},
		{`$.a`, "b`c", "$.\"b`c\""},
		{`{"a": a}`, "z", `{"a": z}`},
		{`é & a`, "z", `é & z`},
		{`$eval("é & $.a.s")`, "z", `$eval("é & $.z.s")`},
		{`$eval("$nodeExecution('a', 0) & a")`, "z", `$eval("$nodeExecution(\"z\", 0) & z")`},
	}
	for _, tt := range tests {
		ast, err := Parse(tt.src)
		if err != nil {
			t.Fatal(tt.src, err)
		}
		got, edits := Rename(tt.src, ast, "a", tt.to)
		if got != tt.want || len(edits) == 0 {
			t.Errorf("%s: a renamed to %s gives %s, want %s", tt.src, tt.to, got, tt.want)
		}
		if _, err := Parse(got); err != nil {
			t.Errorf("%s: %s", got, err.Message)
		}
	}
}
