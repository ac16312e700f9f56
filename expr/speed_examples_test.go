//go:build unix

package expr

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	blues "github.com/blues/jsonata-go"
	"github.com/recolabs/gnata"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// exampleContext and examples are of docs/expressions.md.
const exampleContext = `{"entry": {"customer": "Ada", "min": 10},
  "orders": {"items": [{"id": "a1", "product": "tea", "price": 4, "amount": 3}, {"id": "a2", "product": "cup", "price": 12.5, "amount": 2}, {"id": "a3", "product": "pot", "price": 30, "amount": 1}]},
  "list": {"content": "[FILE] a.txt\n[FILE] b.md\n[DIR] notes"}}`

var examples = []string{
	`$.entry.customer`, `$.orders.items[0].product & $.orders.items[-1].product`, `$.orders.items.price`, `$.orders.items[price > 10].product`, `$.orders.items[price > $$.entry.min].id`,
	`[$.orders.items[price > 20].id]`, `$count($.orders.items[price > 10])`, `$sum($.orders.items.(price * amount))`, `[$max($.orders.items.price), $average($.orders.items.price)]`,
	`$.orders.items^(>price).id`, `"cup" in $.orders.items.product`, `$exists($.entry.note)`, `{"for": $.entry.customer, "n": $count($.orders.items)}`,
	`$.orders.items.{"id": id, "total": price * amount}`, `$.orders.items{product: price}`, `$merge([$.entry, {"vip": true}])`, `$map($.orders.items, function($x, $i) { $i & ": " & $x.product })`,
	`$.entry.min > 5 ? "large" : "small"`, `($total := $sum($.orders.items.price); $total * 2)`, `$join($.orders.items.product, ", ")`, `$split($.list.content, "\n")`,
	`$count($split($.list.content, "\n")[$contains("[FILE]")])`,
}

const examplesBegin = "<!-- examples: written by go test ./expr -run - -bench Examples -update -->\n"

// BenchmarkExamples compares the evaluation of the examples with gnata, blues and jsonata on
// Node, and their compilation with gnata's: in turns, the fastest batch of ten of each. With
// -update the table of docs/measured/expressions.md is written.
func BenchmarkExamples(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	value := decode(b, exampleContext)
	var plain map[string]any
	if err := json.Unmarshal([]byte(exampleContext), &plain); err != nil {
		b.Fatal(err)
	}
	ordered, err := gnata.DecodeJSON([]byte(exampleContext))
	if err != nil {
		b.Fatal(err)
	}
	var list [][2]string
	for _, src := range examples {
		list = append(list, [2]string{src, src})
	}
	node := nodeTimes(b, exampleContext, list, 300)
	for b.Loop() {
		var table strings.Builder
		table.WriteString("\n| expression | Patchbay | gnata | blues/jsonata-go | jsonata on Node |\n|---|--:|--:|--:|--:|\n")
		logs := map[string]float64{}
		least, allocs, theirAllocs := math.Inf(1), 0.0, 0.0
		for _, src := range examples {
			ours, theirs, other := exampleContenders(b, src, value, ordered, plain)
			times := [5]float64{}
			for i := range times {
				times[i] = math.Inf(1)
			}
			for range 10 {
				for i, run := range []func(){ours, theirs, other, func() { _, _ = jsonata.Compile(src) }, func() { _, _ = gnata.Compile(src) }} {
					times[i] = min(times[i], batch(run))
				}
			}
			logs["gnata"] += math.Log(times[1] / times[0])
			logs["blues"] += math.Log(times[2] / times[0])
			if node[src] > 0 {
				logs["node"] += math.Log(node[src] / times[0])
			}
			fmt.Fprintf(&table, "| `%s` | %s | %s (%.2g ×) | %s (%.2g ×) | %s (%.2g ×) |\n", src, micros(times[0]), micros(times[1]), times[1]/times[0], micros(times[2]), times[2]/times[0], micros(node[src]), node[src]/times[0])
			logs["compile"] += math.Log(times[4] / times[3])
			least = min(least, times[1]/times[0])
			allocs += testing.AllocsPerRun(20, ours)
			theirAllocs += testing.AllocsPerRun(20, theirs)
		}
		for name, sum := range logs {
			b.ReportMetric(math.Exp(sum/float64(len(examples))), name+"-times")
		}
		b.ReportMetric(least, "least-times")
		b.ReportMetric(allocs/theirAllocs, "allocs-ratio")
		b.ReportMetric(0, "ns/op")
		if golden.Updating() && node != nil {
			if err := replaceSection(comparisonDoc, examplesBegin, speedEnd, table.String()+"\n"); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func exampleContenders(b testing.TB, src string, value Value, ordered any, plain map[string]any) (ours, theirs, other func()) {
	p, fault := Compile(src)
	x, err := gnata.Compile(src)
	y, err2 := blues.Compile(src)
	if fault != nil || err != nil || err2 != nil {
		b.Fatal(src, fault, err, err2)
	}
	s, ctx := NewScopeWith(value, nil, Limits{}), b.Context()
	must := func(v any, err error) {
		if err != nil {
			b.Fatal(src, fmt.Sprint(v), err)
		}
	}
	return func() { must(p.Eval(ctx, s)) }, func() { must(x.Eval(ctx, ordered)) }, func() { _, _ = y.Eval(plain) }
}
