package jsonata

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

// answer is what an evaluation makes of a case: JSON, "undefined" or an error.
func answer(t *testing.T, c conformance.Case) (result, code string) {
	t.Helper()
	v, err := evaluateCase(t, c)
	if err != nil {
		return "", codeOf(err) + ": " + err.Error()
	}
	if v == nil {
		return "undefined", ""
	}
	b, err := Encode(v)
	if err != nil {
		return "", err.Error()
	}
	return string(b), ""
}

// evaluateCase compiles and evaluates the expression of a case.
func evaluateCase(t *testing.T, c conformance.Case) (Value, error) {
	t.Helper()
	x, err := Compile(c.Expr)
	if err != nil {
		return nil, err
	}
	var data Value
	if c.HasData {
		data = mustDecode(t, c.Data)
	}
	vars := map[string]Value{}
	if b, ok := mustDecode(t, c.Bindings).(*Object); ok {
		for i, name := range b.keys {
			vars[name] = b.vals[i]
		}
	}
	limits := Limits{}
	if c.Code == "U1001" {
		limits.MaxCalls = 100 // the suite evaluates these with a limit of its own
	}
	return x.Eval(t.Context(), data, WithVars(vars), WithLimits(limits))
}

// codeOf is the code that the reference has for an error of this package.
func codeOf(err error) string {
	if fault, ok := errors.AsType[*Error](err); ok {
		return cmp.Or(fault.Reference, fault.Code)
	}
	return "none"
}

func mustDecode(t testing.TB, b []byte) Value {
	t.Helper()
	if len(b) == 0 {
		return nil
	}
	v, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSuite evaluates all cases of the official suite.
func TestSuite(t *testing.T) {
	for _, c := range conformance.Cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			result, code := answer(t, c)
			switch c.Kind {
			case "error":
				if got, _, _ := strings.Cut(code, ":"); got != c.Code && (got != "too-much-work" || c.Code != "U1001") {
					t.Errorf("%s\n is %s %s, want the error %s", c.Expr, result, code, c.Code)
				}
			case "undef":
				if result != "undefined" {
					t.Errorf("%s\n is %s %s, want undefined", c.Expr, result, code)
				}
			default:
				if !same(result, string(c.Result), c.Unordered) {
					t.Errorf("%s\n is %s %s, want %s", c.Expr, result, code, strings.Join(strings.Fields(string(c.Result)), " "))
				}
			}
		})
	}
}

// same compares as JavaScript's deep equality does: the order of keys does not matter,
// numbers compare as numbers.
func same(a, b string, unordered bool) bool {
	var x, y any
	if json.Unmarshal(halvesKept(a), &x) != nil || json.Unmarshal(halvesKept(b), &y) != nil {
		return false
	}
	if xs, ok := x.([]any); ok && unordered {
		if ys, ok := y.([]any); ok {
			return slices.Equal(sortedTexts(xs), sortedTexts(ys))
		}
	}
	return reflect.DeepEqual(x, y)
}

// halvesKept is JSON in which the escape of half of a character is text, as encoding/json
// makes each half U+FFFD.
func halvesKept(text string) []byte {
	var b []byte
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\':
		case strings.HasPrefix(text[i:], `\ud`):
			b = append(b, '\\')
		default:
			b = append(b, '\\')
			i++
		}
		b = append(b, text[i])
	}
	return b
}

func sortedTexts(items []any) []string {
	var out []string
	for _, v := range items {
		b, _ := json.Marshal(v)
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}
