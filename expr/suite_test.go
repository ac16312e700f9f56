package expr

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// An answer is what an engine made of a case.
type answer struct {
	Kind   string `json:"kind"`             // result, undef or error
	Result string `json:"result,omitempty"` // JSON
	Error  string `json:"error,omitempty"`
}

// ask evaluates a case with this package.
func ask(t testing.TB, c conformance.Case) answer {
	t.Helper()
	p, fault := Compile(c.Expr)
	if fault != nil {
		return answer{Kind: "error", Error: fault.Code + ": " + fault.Message}
	}
	var data Value
	if c.HasData {
		data = decode(t, string(c.Data))
	}
	limits := Limits{Timeout: time.Minute}
	if c.Code == "U1001" {
		limits.MaxCalls = 100 // the suite evaluates these with a limit of its own
	}
	s := NewScopeWith(data, nil, limits)
	if b, ok := decode(t, string(c.Bindings)).(Object); ok {
		for _, name := range b.Keys() {
			v, _ := b.Get(name)
			s.Bind(name, v)
		}
	}
	v, err := p.Eval(t.Context(), s)
	switch {
	case err != nil:
		e := asError(err)
		return answer{Kind: "error", Error: e.Code + ": " + e.Message}
	case v == nil:
		return answer{Kind: "undef"}
	}
	b, err := Encode(v)
	if err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	return answer{Kind: "result", Result: string(b)}
}

// differs says how an answer differs from what the suite wants, or "".
func differs(c conformance.Case, a answer) string {
	want := answer{Kind: c.Kind, Result: compact(c.Result), Error: c.Code}
	if a.Kind == c.Kind && (c.Kind != "result" || sameJSON(a.Result, want.Result, c.Unordered)) {
		return ""
	}
	show := func(a answer) string {
		switch a.Kind {
		case "undef":
			return "undefined"
		case "error":
			return "error " + a.Error
		}
		return a.Result
	}
	return show(a) + " instead of " + show(want)
}

func compact(b json.RawMessage) string {
	if len(b) == 0 {
		return ""
	}
	v, err := Decode(b)
	if err != nil {
		return string(b)
	}
	out, err := Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// sameJSON compares as JavaScript's deep equality does: the order of keys does
// not matter, numbers compare as numbers.
func sameJSON(a, b string, unordered bool) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	if xs, ok := x.([]any); ok && unordered {
		if ys, ok := y.([]any); ok {
			return slices.Equal(sorted(xs), sorted(ys))
		}
	}
	return reflect.DeepEqual(x, y)
}

func sorted(items []any) []string {
	var out []string
	for _, v := range items {
		b, _ := json.Marshal(v)
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}

// asError returns the *Error that an error of evaluation is.
func asError(err error) *jsonata.Error {
	e, ok := errors.AsType[*jsonata.Error](err)
	if !ok {
		return &jsonata.Error{Code: "none", Message: fmt.Sprint(err)}
	}
	return e
}

// codeOf returns its code.
func codeOf(err error) string { return asError(err).Code }

func decode(t testing.TB, src string) Value {
	t.Helper()
	v, err := Decode([]byte(src))
	if err != nil {
		t.Fatalf("decode %.60s: %v", src, err)
	}
	return v
}

func TestSuite(t *testing.T) {
	for i, c := range conformance.Cases(t) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		if d := differs(c, ask(t, c)); d != "" {
			t.Errorf("%s: %s\n\t%s", c.ID, d, strings.Join(strings.Fields(c.Expr), " "))
		}
	}
}
