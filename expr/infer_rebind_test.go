package expr

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// What a condition says of a variable ends where the variable gets another value.
func TestFactsEndWhereAVariableIsBoundAgain(t *testing.T) {
	for src, want := range map[string]string{
		`( $v := $.entry.a; $type($v) = "string" ? ( $v := {"n": 1}; $v.n ) : 2 )`:     "",
		`( $v := $.entry.a; $type($v) = "string" ? ( $v := 5; $uppercase($v) ) : "" )`: typeArgument,
		`$flatten([[1], [2]])[0] + 1`: "",
		`$flatten("a", "b")`:          typeArgument,
	} {
		got, shape := firstFinding(t, src)
		if got != want || shape.Kinds == 0 {
			t.Errorf("%s: %q, want %q; the type is %s", src, got, want, shape)
		}
	}
}

// A variable that hides another one in a block leaves what is known of that one as it
// was, however many there are.
func TestFactsAfterABlockThatHidesVariables(t *testing.T) {
	for src, want := range map[string]string{
		`( $a := $.entry.a; $b := $.entry.b; $c := $.entry.c; $type($a) = "string" and $type($b) = "string" ? ($type($c) = "string" ? ($a := 1; $b := 2; $c := 3; 4)) : 2 )`: "",
		`( $a := $.entry.a; $type($a) = "array" ? [($exists($.entry.b) ? ($a := 1; $a) : 0), $uppercase($a)] : 2 )`:                                                          typeArgument,
		`$type($item) = "array" ? [$exists($.entry.b) ? $item := "x" : 0, $uppercase($item)] : 2`:                                                                            "",
		`$map($.entry.a, function($v) { $type($v) = "array" ? [$exists($.entry.b) ? $v := "x" : 0, $uppercase($v)] : 2 })`:                                                   "",
	} {
		if got, _ := firstFinding(t, src); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// firstFinding is the code of the first finding in an expression, or "", and its type.
func firstFinding(t *testing.T, src string) (string, types.Type) {
	t.Helper()
	ast, fault := jsonata.Parse(src)
	if fault != nil {
		t.Fatal(src, fault)
	}
	shape, found := Infer(ast, types.ObjectOf(true, types.Field{Name: "entry", Type: types.ObjectOf(false)}), map[string]types.Type{"item": types.Unknown()})
	if len(found) == 0 {
		return "", shape
	}
	return found[0].Code, shape
}
