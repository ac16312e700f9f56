package expr

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// What is inferred holds what evaluation gives, and nothing that works is called
// a fault, on the whole suite with the types of its data.
func TestInferIsSoundOnTheSuite(t *testing.T) {
	known, values := 0, 0
	for _, c := range conformance.Cases(t) {
		ast, fault := jsonata.Parse(c.Expr)
		if fault != nil || c.Kind == "error" {
			continue
		}
		root := types.Of(types.Undefined)
		if c.HasData {
			var data any
			if err := json.Unmarshal(c.Data, &data); err != nil {
				t.Fatal(err)
			}
			root = types.OfJSON(data, false)
		}
		var bindings map[string]any
		if len(c.Bindings) > 0 {
			if err := json.Unmarshal(c.Bindings, &bindings); err != nil {
				t.Fatal(err)
			}
		}
		vars := map[string]types.Type{}
		for name, v := range bindings {
			vars[name] = types.OfJSON(v, false)
		}
		shape, errs := Infer(ast, root, vars)
		for _, e := range errs {
			if e.Code != typeUndeclaredField && e.Code != TypeNumberText && e.Code != typeCountOfNull {
				t.Errorf("%s: %s: %s: %s", c.ID, c.Expr, e.Code, e.Message)
			}
		}
		values++
		if !shape.IsUnknown() {
			known++
		}
		if c.Kind == "undef" {
			if !shape.Has(types.Undefined) {
				t.Errorf("%s: %s gives nothing, inferred %s", c.ID, c.Expr, shape)
			}
			continue
		}
		var result any
		if err := json.Unmarshal(c.Result, &result); err != nil {
			t.Fatal(err)
		}
		if !shape.Contains(result) {
			t.Errorf("%s: %s gives %.100s, inferred %s", c.ID, c.Expr, c.Result, shape)
		}
	}
	t.Logf("%d of %d have a type", known, values)
}

// inferred is the root of the tests below: a tool's strict result, a loose one,
// and a caller's argument.
var inferred = types.ObjectOf(false,
	types.Field{Name: "list", Type: types.ObjectOf(true,
		types.Field{Name: "content", Type: types.Of(types.String)},
		types.Field{Name: "items", Type: types.ArrayOf(types.ObjectOf(true,
			types.Field{Name: "name", Type: types.Of(types.String)},
			types.Field{Name: "price", Type: types.Of(types.Number)},
			types.Field{Name: "tags", Type: types.ArrayOf(types.Of(types.String)), Optional: true},
		))},
	)},
	types.Field{Name: "loose", Type: types.ObjectOf(false, types.Field{Name: "id", Type: types.Of(types.Integer)})},
	types.Field{Name: "any", Type: types.Of(types.JSON)},
	types.Field{Name: "http", Type: types.ObjectOf(true, types.Field{Name: "content-type", Type: types.Of(types.String)})},
	types.Field{Name: "mode", Type: types.Texts("fast", "slow")},
	types.Field{Name: "maybe", Type: types.ArrayOf(types.Of(types.Number)).Or(types.Of(types.Null))},
)

func TestInfer(t *testing.T) {
	tests := []struct{ src, want string }{
		{`list.content`, `string`},
		{`$.list.items.name`, `[string]|string|nothing`},
		{`list.items`, `[{name: string, price: number, tags?: [string]}]`},
		{`list.items[0]`, `{name: string, price: number, tags?: [string]}|nothing`},
		{`list.items[0].price`, `number|nothing`},
		{`list.items.tags`, `[string]|string|nothing`},
		{`list.items.tags[]`, `[string]|nothing`},
		{`{"n": $count(list.items), "all": list.items.(price * 2)}`, `{all?: [number]|number, n: integer}`},
		{`[1, 2.5, "a"]`, `["a"|number]`},
		{`[1..3]`, `[integer]`},
		{`mode = "fast" ? 1 : "x"`, `"x"|integer`},
		{`mode ?? 1`, `"fast"|"slow"`},
		{`$map(list.items, function($i){ $i.price })`, `[number]|number|nothing`},
		{`list.items ~> $map(function($i){ {"p": $i.price} })`, `{p: number}|[{p: number}]|nothing`},
		{`list.items[price > 1].name ~> $join(", ")`, `string|nothing`},
		{`($x := list; $x.content & "!")`, `string`},
		{`($f := function($x){ $x.a }; $f(list))`, `any`},
		{`any.x.y`, `any`},
		{`any ? list.content`, `string|nothing`},
		{`$sum(list.items.price)`, `number|nothing`},
		{`$lookup(list, "content")`, `string`},
		{`$nodeExecution("list", -1).content`, `string|nothing`},
		{`$merge([loose, {"x": 1}])`, `{id: integer, x: integer}`},
		{`$item.n + 1`, `integer|nothing`},
		{`( $v := any; $type($v) = "string" ? ( $v := {"n": 1}; $v.n ) : null )`, `integer|null`},
		{`( $v := any; $type($v) = "string" ? [mode = "fast" ? $v := 5, $v] : null )`, `array|null`},
	}
	for _, tt := range tests {
		ast, fault := jsonata.Parse(tt.src)
		if fault != nil {
			t.Fatal(tt.src, fault)
		}
		got, errs := Infer(ast, inferred, map[string]types.Type{"item": types.ObjectOf(true, types.Field{Name: "n", Type: types.Of(types.Integer), Optional: true})})
		if got.String() != tt.want {
			t.Errorf("%s is %s, want %s", tt.src, got, tt.want)
		}
		for _, e := range errs {
			t.Errorf("%s: %s: %s", tt.src, e.Code, e.Message)
		}
	}
}

func TestInferFaults(t *testing.T) {
	tests := []struct{ src, at, code, message, hint, fixed string }{
		{`list.contnet`, `contnet`, typeUnknownField, `there is no field "contnet"`, `did you mean "content"?`, `list.content`},
		{`list.items.nam`, `nam`, typeUnknownField, `there is no field "nam"`, `did you mean "name"?`, `list.items.name`},
		{`list.items[prise > 1]`, `prise`, typeUnknownField, `there is no field "prise"`, `did you mean "price"?`, `list.items[price > 1]`},
		{`$map(list.items, function($v){ $v.nam })`, `nam`, typeUnknownField, `there is no field "nam"`, `did you mean "name"?`, `$map(list.items, function($v){ $v.name })`},
		{`list.items^(prise).name`, `prise`, typeUnknownField, `there is no field "prise"`, `did you mean "price"?`, `list.items^(price).name`},
		{`list.zzz`, `zzz`, typeUnknownField, `there is no field "zzz"`, `the fields are content, items`, ``},
		{`loose.other`, `other`, typeUndeclaredField, `the field "other" is not declared`, `the fields are id`, ``},
		{`list.content.text`, `text`, typeScalarField, `"text" is a field, but the value is a string`, `remove it, or check the type of the value`, ``},
		{`list.items.length`, `length`, typeUnknownField, `there is no field "length"`, `for the number of items write $count(…)`, `$count(list.items)`},
		{`list.content.length`, `length`, typeScalarField, `"length" is a field, but the value is a string`, `for the number of characters write $length(…)`, `$length(list.content)`},
		{`list.content + 1`, `list.content`, typeOperand, `"+" takes numbers, not a string`, `convert it with $number(…); strings are joined with "&"`, ``},
		{`list.content > 1`, `list.content > 1`, typeOperand, `">" cannot compare a string with an integer`, `convert one side with $number(…) or $string(…)`, ``},
		{`list.items > 1`, `list.items`, typeOperand, `">" compares numbers or strings, not [{name: string, price: number, tags?: [string]}]`, `reduce it to one number: $count(…), $sum(…) or [0]`, ``},
		{`$uppercase(loose.id)`, `loose.id`, typeArgument, `$uppercase takes a string, not an integer`, `convert it with $string(…)`, `$uppercase($string(loose.id))`},
		{`$sum(list.items.name)`, `list.items.name`, typeArgument, `$sum takes an array of numbers, not [string]|string`, `select the numbers in it, such as items.price`, ``},
		{`list.items ~> $sum()`, `list.items`, typeArgument, `$sum takes an array of numbers, not [{name: string, price: number, tags?: [string]}]`, `select the numbers in it, such as items.price`, ``},
		{`$split(list.items, ",")`, `list.items`, typeArgument, `$split takes a string, not [{name: string, price: number, tags?: [string]}]`, `pick an item, join them with $join(…), or apply the function to each: items.$split(…)`, ``},
		{`http.content-type & "!"`, `content-type`, jsonata.LintHyphen, `"content-type" is read as a subtraction`, "a name with \"-\" needs backticks: `content-type`", "http.`content-type` & \"!\""},
		{`$count(maybe) > 0`, `maybe`, typeCountOfNull, `this may be null, and $count(null) is 1`, `test first: x = null ? 0 : $count(x); x[0] != null says whether it has items`, ``},
		{`{loose.id: 1}`, `loose.id`, typeOperand, `a key is a string, not an integer`, `convert it with $string(…)`, `{$string(loose.id): 1}`},
	}
	for _, tt := range tests {
		ast, fault := jsonata.Parse(tt.src)
		if fault != nil {
			t.Fatal(tt.src, fault)
		}
		_, errs := Infer(ast, inferred, nil)
		if len(errs) != 1 {
			t.Errorf("%s: %d faults, want one: %v", tt.src, len(errs), errs)
			continue
		}
		e := errs[0]
		if at := tt.src[e.Start:e.End]; at != tt.at || e.Code != tt.code || e.Message != tt.message || e.Hint != tt.hint {
			t.Errorf("%s: at %s: %s: %s (%s)\nwant at %s: %s: %s (%s)", tt.src, at, e.Code, e.Message, e.Hint, tt.at, tt.code, tt.message, tt.hint)
		}
		fixed := ""
		if len(e.Edits) > 0 {
			fixed = diag.ApplyEdits(tt.src, e.Edits)
		}
		if fixed != tt.fixed {
			t.Errorf("%s is repaired to %s, want %s", tt.src, fixed, tt.fixed)
		}
	}
}

// A fault is not reported where it cannot be known.
func TestInferStaysQuiet(t *testing.T) {
	for _, src := range []string{
		`any.x + any.y`, `$type(any) = "string" ? $uppercase(any) : any + 1`, `$type(mode) = "number" and mode > 1`,
		`$uppercase(any)`, `$eval("list").zzz`, `list.items@$i.list.items@$j[$i.name = $j.name].{"x": $i.zzz}`,
		`($x := list; $x := loose; $x.zzz)`, `(any ? ($x := list); $x.id)`, `missing.a.b`, `list ~> |items|{"z": 1}|.items.z`,
		`$reduce(list.items, function($a, $b){ $a + $b.price }, 0)`, `list.items{name: $sum(price)}`, `$keys(list)[0]`, `$now() & $random()`,
		`maybe = null ? 0 : $count(maybe)`, `$count($filter(maybe, function($x) { $x != null }))`, `list.items.%.content`, `list.**.name`, `list.*[0]`, `null`,
	} {
		ast, fault := jsonata.Parse(src)
		if fault != nil {
			t.Fatal(src, fault)
		}
		if _, errs := Infer(ast, inferred, nil); len(errs) > 0 {
			t.Errorf("%s: %s: %s", src, errs[0].Code, errs[0].Message)
		}
	}
}

// The same for every part of the suite's expressions, taken by itself and
// evaluated: what is called wrong must fail, what succeeds must fit.
func TestInferIsSoundOnParts(t *testing.T) {
	seen := map[string]bool{}
	parts := 0
	share := 1
	if testing.Short() {
		share = 4
	}
	for i, c := range conformance.Cases(t) {
		ast, fault := jsonata.Parse(c.Expr)
		if i%share != 0 || fault != nil || !c.HasData || len(c.Expr) > 500 {
			continue
		}
		var data any
		if err := json.Unmarshal(c.Data, &data); err != nil {
			t.Fatal(err)
		}
		root := types.OfJSON(data, false)
		var visit func(n *jsonata.Node)
		visit = func(n *jsonata.Node) {
			for _, list := range [][]*jsonata.Node{n.Args, n.Stages} {
				for _, child := range list {
					visit(child)
				}
			}
			if n.Group != nil {
				visit(n.Group)
			}
			part := c
			part.Expr = c.Expr[n.Start:n.End]
			key := part.Expr + "\x00" + string(c.Data)
			sub, fault := jsonata.Parse(part.Expr)
			if seen[key] || fault != nil || len(sub.Refs().NonDeterministic) > 0 {
				return
			}
			seen[key] = true
			parts++
			shape, errs := Infer(sub, root, nil)
			a := ask(t, part)
			for _, e := range errs {
				if (e.Code == typeOperand || e.Code == typeArgument) && a.Kind != "error" {
					t.Errorf("%s: %s: %s, but it gives %.60s", c.ID, part.Expr, e.Message, a.Result)
				}
			}
			var result any
			switch a.Kind {
			case "undef":
				if !shape.Has(types.Undefined) {
					t.Errorf("%s: %s gives nothing, inferred %s", c.ID, part.Expr, shape)
				}
			case "result":
				if err := json.Unmarshal([]byte(a.Result), &result); err == nil && !shape.Contains(result) {
					t.Errorf("%s: %s gives %.100s, inferred %s", c.ID, part.Expr, a.Result, shape)
				}
			}
		}
		visit(ast.Root)
	}
	if parts < 1000/share {
		t.Errorf("only %d parts", parts)
	}
}

func BenchmarkInfer(b *testing.B) {
	ast, err := jsonata.Parse(`{"total": $sum(list.items[price > 10].(price * 2)), "names": list.items.name ~> $join(", "), "n": $count(list.items)}`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Infer(ast, inferred, nil)
	}
}
