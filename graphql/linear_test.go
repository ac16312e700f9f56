package graphql

import (
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/linear"
)

// repeated joins n texts, in which # is the number of the text and + the next number.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(numbered(i, text))
	}
	return b.String()
}

func numbered(i int, text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "#", strconv.Itoa(i)), "+", strconv.Itoa(i+1))
}

// TestDoublingReferences puts schemas whose references double from level to level through
// everything that refers to types.
func TestDoublingReferences(t *testing.T) {
	for name, s := range map[string]struct{ query, level, last string }{
		"objects":        {`f: T0`, `type T# { a: T+ b: T+ } `, `type T# { a: Int } `},
		"lists":          {`f: [[T0!]!]!`, `type T# { a: [T+] b: [[T+!]] } `, `type T# { a: [Int] } `},
		"unions":         {`f: U0`, `union U# = A# | B# type A# { a: U+ } type B# { b: U+ } `, `union U# = A# type A# { a: Int } `},
		"interfaces":     {`f: F0`, `interface F# { a: F+ b: F+ } type G# implements F# { a: F+ b: F+ c: F+ } `, `interface F# { a: Int } type G# implements F# { a: Int } `},
		"connections":    {`f: L0Connection`, `type L#Connection { edges: [L#Edge] nodes: [L+Connection] pageInfo: P } type L#Edge { cursor: ID node: L+Connection } `, `type L#Connection { edges: [Int] pageInfo: P } type P { a: Int } `},
		"inputs":         {`f(a: I0, b: I0): Int`, `input I# { a: I+ b: I+! } `, `input I# { a: Int } `},
		"input defaults": {`f(a: I0 = {}): Int`, `input I# { a: I+ = {} b: I+ = {} } `, `input I# { a: Int = 1 } `},
		"one of":         {`f(a: I0): Int`, `input I# @oneOf { a: I+ b: I+ } `, `input I# @oneOf { a: Int } `},
		"cycles":         {`f(a: I0): T0`, `input I# { a: I+ b: I+ c: I0 } type T# { a: T+ b: T+ c: T0 } `, `input I# { a: I0 } type T# { a: T0 } `},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Work(t, 4, func(levels int) func() {
				source := "type Query { " + s.query + " } " + repeated(levels, s.level) + numbered(levels, s.last)
				return func() {
					if _, err := Tools(t.Context(), Options{Source: source, Endpoint: "https://api.example"}); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// TestManyMembers gives schemas with more members than the library can check in time.
func TestManyMembers(t *testing.T) {
	const query = "type Query { f: Int } "
	for name, s := range map[string]struct{ source, err string }{
		"enum":                     {query + "enum E { " + repeated(10_001, "V# ") + "}", `the enum "E" has more than 10000 values`},
		"enum with extensions":     {query + "enum E { A } " + repeated(10_000, "extend enum E { V# } "), `the enum "E" has more than 10000 values`},
		"introspected enum":        {`{"__schema":{"types":[{"kind":"ENUM","name":"E","enumValues":[{"name":"A"}` + repeated(10_000, `,{"name":"V#"}`) + `]}]}}`, `the enum "E" has more than 10000 values`},
		"many enums":               {query + repeated(9, "enum E# { "+strings.ReplaceAll(repeated(10_000, "V# "), "#", "")+"}"), "too many members"},
		"fields":                   {"type Query { " + repeated(40_000, "f#: Int ") + "}", "too many members"},
		"fields of extensions":     {query + repeated(40_000, "extend type Query { f#: Int } "), "too many members"},
		"union":                    {query + "union U = Query" + repeated(40_000, "|T#"), "too many members"},
		"arguments":                {"type Query { f(" + repeated(40_000, "a#: Int ") + "): Int }", "too many members"},
		"arguments of directives":  {query + "directive @d(" + repeated(40_000, "a#: Int ") + ") on OBJECT", "too many members"},
		"uses of a directive":      {"directive @d(" + repeated(5_000, "a#: Int ") + ") on OBJECT type Query @d(" + repeated(50_000, "a#: 1 ") + ") { f: Int }", "too many members"},
		"places of a directive":    {"directive @d on OBJECT " + strings.Repeat("| OBJECT ", 30_000) + "type Query { f: Int } " + repeated(30_000, "type T# @d { f: Int } "), "too many members"},
		"interfaces":               {query + "type T implements I " + repeated(40_000, "& I# ") + "{ f: Int }", "too many members"},
		"fields of interfaces":     {query + repeated(200, "interface I# { f: Int } ") + "interface J { " + repeated(1_500, "f#: Int ") + "} " + repeated(200, "type T# implements J { "+strings.ReplaceAll(repeated(1_500, "f#: Int "), "#", "")+"} "), "too many members"},
		"interfaces of interfaces": {query + repeated(1_000, "interface I# implements "+strings.Repeat("I1 & ", 700)+"I2 { f: Int } "), "too many members"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Tools(t.Context(), Options{Source: s.source, Endpoint: "https://api.example"}); err == nil || !strings.Contains(err.Error(), s.err) {
				t.Errorf("got %v, want %q", err, s.err)
			}
		})
	}
	source := "type Query { f(e: E): Int " + repeated(10_000, "f#: Int ") + "} enum E { " + repeated(10_000, "V# ") + "}"
	if tools, err := Tools(t.Context(), Options{Source: source, Endpoint: "https://api.example", Include: []string{"f"}}); err != nil || len(tools) != 1 {
		t.Errorf("got %d tools and %v, want the one of a large schema", len(tools), err)
	}
}
