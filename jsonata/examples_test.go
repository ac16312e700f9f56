package jsonata

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// added is a history in which the node add has returned 1, 3 and 6.
type added []Value

func (h added) Previous(n int) (Value, bool) { return h.Execution("add", -n) }
func (h added) Count(id string) int          { return len(h.Executions(id)) }

func (h added) Execution(id string, i int) (Value, bool) {
	if i < 0 {
		i += len(h)
	}
	if id != "add" || i < 0 || i >= len(h) {
		return nil, false
	}
	return h[i], true
}

func (h added) Executions(id string) []Value {
	if id != "add" {
		return nil
	}
	return h
}

// examplesOf are the examples by what they are of.
func examplesOf() map[string]Examples {
	all := map[string]Examples{}
	for _, b := range Builtins() {
		all["$"+b.Name] = b.Examples
	}
	for _, o := range Operators() {
		all[o.Form] = o.Examples
	}
	return all
}

// Every function and operator has at least three examples, in which it occurs, and their
// results are right.
func TestExamples(t *testing.T) {
	for of, examples := range examplesOf() {
		list := examples.List()
		if len(list) < 3 {
			t.Errorf("%s has the examples %q, expected three", of, list)
		}
		results := map[string]bool{}
		for _, example := range list {
			source, want, _ := strings.Cut(example, " → ")
			if results[source] = true; strings.HasPrefix(of, "$") && of != "$v := a" && !strings.Contains(source, of) {
				t.Errorf("%s does not call %s", source, of)
			}
			x, err := Compile(source)
			var v Value
			if err == nil {
				e := Evaluator{History: added{1.0, 3.0, 6.0}, Now: func() time.Time { return time.UnixMilli(1e12) }, Random: func() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }}
				v, err = e.Eval(t.Context(), x, NewObject())
			}
			got := "undefined"
			if b, fault := Encode(v); err != nil {
				got = codeOf(err)
			} else if v != nil && fault == nil {
				got = string(b)
			}
			if got != want {
				t.Errorf("%s is %s, and the example says %s", source, got, want)
			}
		}
		if len(results) != len(list) {
			t.Errorf("%s has an example twice: %q", of, list)
		}
	}
}

// Every operator of the language has a row.
func TestOperatorRows(t *testing.T) {
	var forms strings.Builder
	for _, o := range Operators() {
		forms.WriteString(o.Form + " " + o.Doc + "\n")
	}
	for kind, power := range powers {
		sign := ""
		for s, k := range doubles {
			if int(k) == kind {
				sign = s
			}
		}
		for s, k := range single {
			if int(k) == kind && sign == "" {
				sign = string(rune(s))
			}
		}
		if foreign := kind == int(lexPipePipe) || kind == int(lexArrow); power > 0 && !foreign && !strings.Contains(forms.String(), sign) {
			t.Errorf("no row has the operator %s", sign)
		}
	}
}

// The examples of what JSONata has are jsonata-js's, but for the listed differences.
func TestExamplesAgree(t *testing.T) {
	r := newReference(t)
	for of, examples := range examplesOf() {
		if b := LookupBuiltin(strings.TrimPrefix(of, "$")); b != nil && b.Own {
			continue
		}
		for _, example := range examples.List() {
			source, _, _ := strings.Cut(example, " → ")
			c := comparison{t: t, reference: r, source: source, input: "null", ours: ours(t, source, "null")}
			if d := c.difference(); d != "" {
				t.Errorf("%s: %s", source, d)
			}
		}
	}
}
