package expr

import (
	"strconv"
	"strings"
	"testing"
)

// The output of a tool goes into an evaluation and out of it as it is: what an expression
// takes whole or in parts is the value that was decoded, however large it is.
func TestValuesAreNotCopied(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"items": [0`)
	for i := range 20_000 {
		text.WriteString(`, {"id": ` + strconv.Itoa(i) + `, "tags": ["a", "b"]}`)
	}
	text.WriteString(`], "meta": {"next": 9007199254740993}}`)
	out, err := Decode([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	items, _ := out.(Object).Get("items")
	meta, _ := out.(Object).Get("meta")
	s := NewScope(nil, Limits{})
	s.Set("tool", out)
	same := func(a, b Value) bool {
		if list, ok := a.([]any); ok {
			other, ok := b.([]any)
			return ok && len(list) == len(other) && &list[0] == &other[0]
		}
		return a == b
	}
	for src, want := range map[string]Value{
		`$.tool`: out, `$.tool.items`: items, `$.tool.meta`: meta, `$lookup($.tool, "items")`: items,
		`$exists($.none) ? 1 : $.tool`: out, `($t := $.tool; $t.meta)`: meta, `$.none ?? $.tool.items`: items,
	} {
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(src, fault)
		}
		got, err := p.Eval(t.Context(), s)
		if err != nil || !same(got, want) {
			t.Errorf("%s gives another value: %v", src, err)
		}
		allocs := testing.AllocsPerRun(3, func() { _, _ = p.Eval(t.Context(), s) })
		if allocs > 100 {
			t.Errorf("%s makes %v allocations", src, allocs)
		}
	}
	p, fault := Compile(`{"all": $.tool, "first": $.tool.items[1]}`)
	if fault != nil {
		t.Fatal(fault)
	}
	v, err := p.Eval(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := v.(Object).Get("all"); !same(all, out) {
		t.Error("an object that holds the output holds a copy")
	}
	if first, _ := v.(Object).Get("first"); !same(first, items.([]any)[1]) {
		t.Error("an object that holds an item holds a copy")
	}
}
