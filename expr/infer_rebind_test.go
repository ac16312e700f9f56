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
		ast, fault := jsonata.Parse(src)
		if fault != nil {
			t.Fatal(src, fault)
		}
		shape, found := Infer(ast, types.ObjectOf(true), nil)
		got := ""
		if len(found) > 0 {
			got = found[0].Code
		}
		if got != want || shape.Kinds == 0 {
			t.Errorf("%s: %q (%v), want %q; the type is %s", src, got, found, want, shape)
		}
	}
}
