package expr

import (
	"fmt"
	"strings"
	"testing"
)

// shapes are the kinds of expression that graphs are made of.
var shapes = []struct{ name, src string }{
	{"path", `$.order.customer.name`},
	{"object", `{"id": order.id, "who": order.customer.name, "tags": [order.tag, "new"], "n": $count(items)}`},
	{"map", `$map(items, function($i) { {"name": $i.name, "total": $i.price * $i.qty} })`},
	{"filter", `items[qty > 5 and price < 50].name`},
	{"sum", `$sum(items[kind = "book"].price)`},
	{"group", `items{kind: $sum(price)}`},
	{"group of objects", `items{kind: {"n": $count(name), "sum": $sum(qty)}}`},
	{"sort", `items^(price, >qty).name`},
	{"strings", `$uppercase($substringBefore(order.customer.name, " ")) & "-" & $join($split(order.tag, ","), "/") & "-" & $string(order.id)`},
	{"loop", `$executionCount("inc") = 0 ? {"counter": 1, "sum": 1} : {"counter": $nodeExecution("inc", -1).counter + 1, "sum": $nodeExecution("inc", -1).sum + $nodeExecution("inc", -1).counter + 1}`},
}

// shop is the context of the benchmarks: 1,000 items and some fields.
func shop() string {
	var b strings.Builder
	b.WriteString(`{"order":{"id":12345,"tag":"a,b,c","customer":{"name":"Ada Lovelace"}},"items":[`)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"item %d","price":%d.5,"qty":%d,"kind":"%s"}`, i, i%97, i%11, []string{"book", "pen", "ink"}[i%3])
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkEval(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			p, fault := Compile(shape.src)
			if fault != nil {
				b.Fatal(fault)
			}
			s := NewScopeWith(decode(b, shop()), history(b, `inc={"counter":1,"sum":1}`), Limits{})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Eval(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// twoComparisons evaluates a rule of that many.
func twoComparisons(b *testing.B) func() {
	b.Helper()
	rule, faults := CompileRule(decode(b, `{"and": [{">": [{"var": "order.id"}, 100]}, {"==": [{"var": "$.order.tag"}, "a,b,c"]}]}`))
	if faults != nil {
		b.Fatal(faults[0])
	}
	s := NewScopeWith(decode(b, shop()), nil, Limits{})
	return func() {
		if v, err := rule.Eval(b.Context(), s); err != nil || v != true {
			b.Fatal(v, err)
		}
	}
}

func BenchmarkRule(b *testing.B) {
	eval := twoComparisons(b)
	b.ReportAllocs()
	for b.Loop() {
		eval()
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(shapes[1].src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	src := []byte(shop())
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	v := decode(b, shop())
	b.SetBytes(int64(len(shop())))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScope(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewScope(nil, Limits{})
		}
	})
	b.Run("bound child", func(b *testing.B) {
		s := NewScope(nil, Limits{})
		b.ReportAllocs()
		for b.Loop() {
			c := s.Child(nil)
			c.Bind("item", 1.0)
			c.Bind("index", 0.0)
		}
	})
}
