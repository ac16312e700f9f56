package types

import (
	"fmt"
	"strings"
	"testing"
)

func listOf(found []Mismatch) string {
	var lines []string
	for _, m := range found {
		line := "may: "
		if m.Certainty == Certain {
			line = "is: "
		}
		if len(m.Path) > 0 {
			line += strings.Join(m.Path, ".") + " "
		}
		lines = append(lines, line+m.Message())
	}
	return strings.Join(lines, "; ")
}

func TestCompare(t *testing.T) {
	text, integer, number := Of(String), Of(Integer), Of(Number)
	person := ObjectOf(true, Field{Name: "name", Type: text}, Field{Name: "age", Type: integer, Optional: true})
	tests := []struct {
		got, want Type
		found     string
	}{
		{text, text, ``},
		{integer, number, ``},
		{integer, text, `is: got integer, expected string`},
		{Of(Function), text, `is: got function, expected string`},
		{Unknown(), text, ``},
		{text, Unknown(), ``},
		{Of(Undefined), text, ``},
		{Of(String | Null), text, `may: may be null, expected string`},
		{number, integer, `may: may be a fraction, expected integer`},
		{Texts("a"), Texts("b", "c"), `is: got "a", expected "b"|"c"`},
		{Texts("a", "b"), Texts("b", "c"), `may: may be a string other than "b"|"c"`},
		{text, Texts("b", "c"), `may: may be a string other than "b"|"c"`},

		{ObjectOf(true), person, `is: missing "name"`},
		{ObjectOf(false), person, ``}, // nothing is known of it
		{ObjectOf(true, Field{Name: "name", Type: Of(Undefined)}), person, `is: missing "name"`},
		{ObjectOf(true, Field{Name: "name", Type: text, Optional: true}), person, `may: may be missing`},
		{ObjectOf(true, Field{Name: "name", Type: text, Optional: true, OnlyPastEnd: true}), person, ``},
		{ObjectOf(true, Field{Name: "name", Type: integer}), person, `is: name got integer, expected string`},
		{ObjectOf(true, Field{Name: "name", Type: text}, Field{Name: "x", Type: text}), person, `is: unknown "x"`},
		{ObjectOf(true, Field{Name: "name", Type: text}, Field{Name: "x", Type: text, Optional: true}), person, `may: may have "x", which is not allowed`},
		{ObjectOf(false, Field{Name: "name", Type: text}), person, `may: may have fields other than age, name`},
		{ObjectOf(true, Field{Name: "age", Type: Of(Integer | Null)}), person, `may: age may be null, expected integer; is: missing "name"`},

		// within one of several types nothing is certain
		{ObjectOf(true, Field{Name: "name", Type: integer}).Or(text), person.Or(text), `may: name may be integer, expected string`},
		{ObjectOf(true).Or(text), person.Or(text), `may: may be missing`},

		{ArrayOf(integer), ArrayOf(text), `is: * got integer, expected string`},
		{ArrayOf(Of(Integer | String)), ArrayOf(text), `may: * may be integer, expected string`},
		{ArrayWith(Of(Integer|String), []Type{integer}), ArrayOf(text), `is: * got integer, expected string`},
		{Of(Array), ArrayOf(text), ``},
	}
	for _, tt := range tests {
		found := Compare(tt.got, tt.want)
		if got := listOf(found); got != tt.found {
			t.Errorf("%s for %s:\n%s\nwant\n%s", tt.got, tt.want, got, tt.found)
		}
		if fits := Fits(tt.got, tt.want); fits == strings.Contains(tt.found, "is: ") {
			t.Errorf("%s for %s: fits is %t", tt.got, tt.want, fits)
		}
	}
}

func TestMismatchOrAbsent(t *testing.T) {
	got := ObjectOf(true, Field{Name: "a", Type: Of(String | Null), Optional: true})
	for _, optional := range []bool{true, false} {
		found := Compare(got, ObjectOf(true, Field{Name: "a", Type: Of(String), Optional: optional}))
		if m := found[len(found)-1]; m.Kind != WrongType || m.OrAbsent != optional {
			t.Errorf("optional %t: %s, or absent %t", optional, listOf(found), m.OrAbsent)
		}
	}
}

// A certain mismatch leaves no value of one type in the other, and where none is
// found at all every value of a closed type is.
func TestCompareAgreesWithContains(t *testing.T) {
	values := []any{nil, true, 1.0, 1.5, "a", "b", []any{1.0}, []any{"a", 1.0}, map[string]any{}, map[string]any{"a": 1.0}, map[string]any{"a": "x", "b": nil}}
	var all []Type
	for i, v := range values {
		all = append(all, OfJSON(v, true), OfJSON(v, true).Or(OfJSON(values[(i+3)%len(values)], true)))
	}
	for _, got := range all {
		for _, want := range all {
			found := Compare(got, want)
			for _, v := range values {
				switch in := want.Contains(v); {
				case !got.Contains(v):
				case in && !Fits(got, want):
					t.Errorf("%v is in %s and %s, but %s", v, got, want, listOf(found))
				case !in && len(found) == 0 && !got.IsOpen() && !want.IsOpen():
					t.Errorf("%v is in %s and not in %s: nothing is found", v, got, want)
				}
			}
		}
	}
}

func ExampleCompare() {
	got := ObjectOf(true, Field{Name: "path", Type: Of(Integer)})
	want := ObjectOf(true, Field{Name: "path", Type: Of(String)}, Field{Name: "depth", Type: Of(Integer)})
	for _, m := range Compare(got, want) {
		fmt.Println(strings.Join(m.Place(), "."), m.Message())
	}
	// Output:
	// depth missing "depth"
	// path got integer, expected string
}
