package expr_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
)

// TestMain adds functions before any expression is compiled.
func TestMain(m *testing.M) {
	err := expr.AddFunctions(
		expr.Function{Name: "initials", Signature: "<sn?:s>", Call: func(_ context.Context, args []any) (any, error) {
			var b strings.Builder
			for word := range strings.FieldsSeq(args[0].(string)) {
				b.WriteString(word[:1])
			}
			if n, ok := args[1].(float64); ok {
				return b.String()[:int(n)], nil
			}
			return b.String(), nil
		}},
		expr.Function{Name: "refuse", Signature: "<o:x>", Call: func(_ context.Context, args []any) (any, error) {
			if args[0].(map[string]any)["ok"] == true {
				return args[0], nil
			}
			return nil, errors.New("not ok")
		}},
	)
	if err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestAddedFunctions(t *testing.T) {
	for src, want := range map[string]string{
		`$initials("Grace Brewster Hopper")`:         `"GBH"`,
		`$initials("Grace Brewster Hopper", 2)`:      `"GB"`,
		`["a b", "c d"].$initials($)`:                `["ab","cd"]`,
		`$map(["a b", "c d"], $initials)`:            "",
		`$refuse({"ok": true, "b": [1, null]}).b[0]`: `1`,
		`$refuse({"ok": false})`:                     "error: $refuse failed: not ok",
		`$initials(5)`:                               "error: $initials: argument 1 must be a string, got 5",
		`$initials("a b") & "-" & $uppercase("c")`:   `"ab-C"`,
	} {
		p, fault := expr.Compile(src)
		if fault != nil {
			t.Errorf("%s: %v", src, fault)
			continue
		}
		v, err := p.Eval(t.Context(), expr.NewScope(nil, expr.Limits{}))
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else if b, err := expr.Encode(v); err == nil {
			got = string(b)
		}
		if want != "" && !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}

func TestFunctionsThatCannotBeAdded(t *testing.T) {
	if _, fault := expr.Compile(`$initials("a")`); fault != nil {
		t.Fatal(fault)
	}
	call := func(context.Context, []any) (any, error) { return nil, nil }
	for want, f := range map[string]expr.Function{
		"cannot be the name": {Name: "a-b", Signature: "<s:s>", Call: call},
		"has no Call":        {Name: "x", Signature: "<s:s>"},
		"is not one of":      {Name: "x", Signature: "<f:s>", Call: call},
		"is a function of":   {Name: "sum", Signature: "<s:s>", Call: call},
		"was added with":     {Name: "initials", Signature: "<s:s>", Call: call},
		"is added too late":  {Name: "late", Signature: "<s:s>", Call: call},
	} {
		if err := expr.AddFunctions(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f.Name, err, want)
		}
	}
}
