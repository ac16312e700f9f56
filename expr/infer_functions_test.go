package expr

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// givenTo are calls of the functions that run, argument by argument.
var givenTo = map[string][]string{
	"abs": {"-1"}, "append": {"[1]", "2"}, "assert": {"true", "'m'"}, "average": {"[1, 2]"}, "base64decode": {"'YQ=='"}, "base64encode": {"'a'"}, "boolean": {"1"},
	"ceil": {"1.5"}, "clone": {"{'a': 1}"}, "contains": {"'abc'", "'b'"}, "count": {"[1]"}, "decodeUrl": {"'a'"}, "decodeUrlComponent": {"'a'"}, "distinct": {"[1, 1]"},
	"each": {"{'a': 1}", "function($v) { $v }"}, "encodeUrl": {"'a'"}, "encodeUrlComponent": {"'a'"}, "eval": {"'1'"}, "exists": {"1"}, "filter": {"[1]", "function($v) { true }"},
	"floor": {"1.5"}, "formatBase": {"10", "2"}, "formatInteger": {"1", "'0'"}, "formatNumber": {"1", "'0'"}, "fromMillis": {"1"}, "join": {"['a']", "','"}, "keys": {"{'a': 1}"},
	"length": {"'a'"}, "lookup": {"{'a': 1}", "'a'"}, "lowercase": {"'A'"}, "map": {"[1]", "function($v) { $v }"}, "match": {"'a'", "/a/"}, "max": {"[1]"}, "merge": {"[{'a': 1}]"},
	"min": {"[1]"}, "not": {"true"}, "number": {"'1'"}, "pad": {"'a'", "3", "'x'"}, "parseInteger": {"'1'", "'0'"}, "power": {"2", "2"}, "reduce": {"[1]", "function($a, $b) { $a }"},
	"replace": {"'a'", "'a'", "'b'"}, "reverse": {"[1]"}, "round": {"1.5", "1"}, "shuffle": {"[1]"}, "sift": {"{'a': 1}", "function($v) { true }"}, "single": {"[1]", "function($v) { true }"},
	"sort": {"[1]"}, "split": {"'a,b'", "','"}, "spread": {"{'a': 1}"}, "sqrt": {"4"}, "string": {"1"}, "substring": {"'abc'", "1", "1"}, "substringAfter": {"'abc'", "'b'"},
	"substringBefore": {"'abc'", "'b'"}, "sum": {"[1]"}, "toMillis": {"'2020-01-01T00:00:00Z'"}, "trim": {"' a '"}, "type": {"1"}, "uppercase": {"'a'"}, "zip": {"[1]", "[2]"},
}

// lenient says which calls the evaluator takes although JSONata's signatures do
// not: the checker goes by the signatures.
func lenient(name string) bool {
	switch name {
	case "assert", "formatNumber", "sift":
		return true // the last argument is read only where it matters
	case "contains", "each", "filter", "match", "reduce", "sort":
		return true // a value that is not a string, a pattern or a function is skipped
	}
	return false
}

// What the checker says of a function's arguments is what the function does: it
// refuses what makes a call fail for a type, and nothing else.
func TestFunctionsRefuseWhatIsRefused(t *testing.T) {
	values := []string{"'a'", "'1'", "7", "2.5", "true", "null", "[]", "['a']", "[7, 8]", "[true]", "[null]", "[[1]]", "{}", "{'a': 1}", "[{'a': 1}]", "function($x) { $x }"}
	calls, failing := 0, 0
	for _, name := range slices.Sorted(maps.Keys(givenTo)) {
		good := givenTo[name]
		variants := [][]string{good}
		for i := range good {
			for _, v := range values {
				args := slices.Clone(good)
				args[i] = v
				variants = append(variants, args)
			}
			variants = append(variants, good[:i])
		}
		for _, more := range values {
			variants = append(variants, append(slices.Clone(good), more))
		}
		for _, args := range variants {
			calls++
			src := fmt.Sprintf("{'it': $%s(%s)}", name, strings.Join(args, ", "))
			ast, fault := jsonata.Parse(src)
			if fault != nil {
				t.Fatal(src, fault)
			}
			shape, found := Infer(ast, types.ObjectOf(true), nil)
			got := ask(t, conformance.Case{Expr: src, HasData: true, Data: []byte("{}"), Bindings: []byte("{}")})
			code, _, _ := strings.Cut(got.Error, ":")
			switch {
			case got.Kind == "error" && len(found) > 0:
				failing++
			case got.Kind == "error" && (slices.Contains(failsOnValue, code) || slices.Contains(args, values[len(values)-1])):
			case got.Kind == "error":
				t.Errorf("%s is called valid, and fails: %s", src, got.Error)
			case len(found) > 0 && !lenient(name):
				t.Errorf("%s gives %s, and is refused: %s", src, got.Result, found[0].Message)
			case len(found) == 0 && got.Kind == "result":
				var v any
				if err := json.Unmarshal([]byte(got.Result), &v); err != nil || !shape.Contains(v) {
					t.Errorf("%s gives %s, inferred %s", src, got.Result, shape)
				}
			}
		}
	}
	t.Logf("%d calls, %d of them refused and failing", calls, failing)
}

// failsOnValue are the codes of what fails for a value of the right type: a text
// that is not a number, a date or a picture, one match where there are several.
var failsOnValue = []string{"D3030", "D3137", "D3138", "D3139", "D3085", "D3086", "D3110", "not-a-number"}
