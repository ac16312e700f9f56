package expr

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

func TestDecodeEncode(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"b":1,"a":{"z":9007199254740993,"y":1.10}}`, ``},
		{`[1e400,-0,1E5,0.1]`, ``},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{` "<&>\u00e9\u2028" `, "\"<&>é\u2028\""},
		{`"\ud83d\ude00\u0001\"\\\n"`, `"😀\u0001\"\\\n"`},
		{`null`, ``},
		{`[]`, ``},
		{`{}`, ``},
		{strings.Repeat("[", 500) + strings.Repeat("]", 500), ``},
	} {
		if tt.want == "" {
			tt.want = tt.in
		}
		v, err := Decode([]byte(tt.in))
		if err != nil {
			t.Errorf("%.60s: %v", tt.in, err)
			continue
		}
		b, err := Encode(v)
		if err != nil || string(b) != tt.want {
			t.Errorf("%.60s became %.60s (%v), want %.60s", tt.in, b, err, tt.want)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, "line 1, column 1: the JSON ends too early"},
		{`{"a": [1, 2`, "the JSON ends too early"},
		{"{\n  \"é\": nul}", "line 2, column 11"},
		{`1 2`, "there is more text after the end of the value"},
		{`{"a":1}}`, "line 1, column 8"},
		{`{'a':1}`, "line 1, column 2"},
		{strings.Repeat("[", 1_000_000), "nested deeper than 500"},
		{strings.Repeat(`{"a":`, 1_000_000), "nested deeper than 500"},
	} {
		_, err := Decode([]byte(tt.in))
		if err == nil || !strings.HasPrefix(err.Error(), "not JSON at ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60s: got %v, want %s", tt.in, err, tt.want)
		}
	}
}

func TestEncodeUndefinedAndNumbers(t *testing.T) {
	tenth := 0.1
	o := NewObject()
	o.Set("gone", nil)
	o.Set("list", []any{nil, Null(), 1.0})
	for _, tt := range []struct {
		v    Value
		want string
	}{
		{nil, `null`},
		{o, `{"list":[null,null,1]}`},
		{1e21, `1e+21`},
		{1e-7, `1e-7`},
		{123456789012345680000.0, `123456789012345680000`},
		{math.Copysign(0, -1), `0`},
		{tenth + 0.2, `0.30000000000000004`},
		{"\xff", "\"\ufffd\""},
	} {
		if b, err := Encode(tt.v); err != nil || string(b) != tt.want {
			t.Errorf("got %s (%v), want %s", b, err, tt.want)
		}
	}
	deep := any(1.0)
	for range 600 {
		deep = []any{deep}
	}
	for want, v := range map[string]any{"not finite": math.NaN(), "not finite ": math.Inf(1), "a function": func() {}, "nested deeper": deep} {
		if _, err := Encode([]any{v}); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestTypeAndTruthy(t *testing.T) {
	for _, tt := range []struct {
		v      Value
		name   string
		truthy bool
	}{
		{nil, "undefined", false},
		{Null(), "null", false},
		{false, "boolean", false},
		{true, "boolean", true},
		{0.0, "number", false},
		{math.NaN(), "number", false},
		{json.Number("-0.00e5"), "number", false},
		{json.Number("0.01"), "number", true},
		{2.0, "number", true},
		{"", "string", false},
		{"0", "string", true},
		{[]any{}, "array", true},
		{NewObject(), "object", true},
		{&jsonata.Function{}, "function", true},
	} {
		if got := Type(tt.v); got != tt.name {
			t.Errorf("the type of %v is %s, want %s", tt.v, got, tt.name)
		}
		if got := Truthy(tt.v); got != tt.truthy {
			t.Errorf("%v (%s) is %v, want %v", tt.v, tt.name, got, tt.truthy)
		}
	}
}
