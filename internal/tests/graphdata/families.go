package graphdata

import (
	"fmt"
	"strings"
)

const input = `{"type":"object","additionalProperties":false,"required":["x","s","rows"],"properties":{"x":{"type":"integer"},"s":{"type":"string"},"rows":{"type":"array","items":{"type":"object","required":["a","b"],"properties":{"a":{"type":"number"},"b":{"type":"string"}}}}}}`

// Families are the shapes of documents that the checker is measured with.
var Families = []Family{
	{Name: "dense", fill: dense},
	{Name: "sparse", fill: sparse},
	{Name: "diamonds", fill: diamonds},
	{Name: "switches", fill: switches},
	{Name: "jumps", fill: jumps},
	{Name: "exits", fill: exits},
	{Name: "loops", fill: loops},
	{Name: "one-loop", fill: oneLoop},
	{Name: "wide-fork", fill: wideFork},
	{Name: "forks", fill: forks},
	{Name: "nested-forks", fill: nestedForks},
	{Name: "foreach", fill: foreach},
	{Name: "nested-values", fill: nestedValues},
	{Name: "doubled-values", fill: doubledValues},
	{Name: "long-expression", fill: longExpression},
	{Name: "deep-expressions", fill: deepExpressions},
	{Name: "wide-value", fill: wideValue},
	{Name: "wide-input", fill: wideInput},
	{Name: "tools", fill: tools},
	{Name: "one-reader", fill: oneReader},
	{Name: "calls", fill: calls},
	{Name: "missing-arguments", Faulty: true, fill: missingArguments},
	{Name: "unknown-arguments", Faulty: true, fill: unknownArguments},
	{Name: "wrong-types", Faulty: true, fill: wrongTypes},
	{Name: "unknown-nodes", Faulty: true, fill: unknownNodes},
	{Name: "unknown-targets", Faulty: true, fill: unknownTargets},
	{Name: "unknown-fields", Faulty: true, fill: unknownFields},
	{Name: "slips", Faulty: true, fill: slips},
	{Name: "no-entry", Faulty: true, fill: noEntry},
	{Name: "same-ids", Faulty: true, fill: sameIDs},
	{Name: "bad-switches", Faulty: true, fill: badSwitches},
	{Name: "edge-list", Faulty: true, fill: edgeList},
	{Name: "dead-ends", Faulty: true, fill: deadEnds},
	{Name: "unset-values", fill: unsetValues},
}

// dense is a chain of nodes of a kilobyte, each with ten references to those before.
func dense(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, `{"v": $.entry.x + %d, "t": $uppercase($.entry.s) & "!", "sum": $sum($.entry.rows[a > %d].a)`, i, i)
		for k := 1; k <= 7; k++ {
			if i-k*k >= 0 {
				fmt.Fprintf(&b, ",\n \"from%d\": $.n%d.v + $length($.n%d.t) * %d", k, i-k*k, i-k*k, k)
			}
		}
		note := strings.Repeat("what this field is for; ", 19)
		fmt.Fprintf(&b, ",\n \"note\": %q}", note)
		d.transform(id(i, n), b.String(), id(i+1, n))
	}
	d.exit()
}

// sparse is a chain of short nodes.
func sparse(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		d.transform(id(i, n), fmt.Sprintf(`{"v": $.entry.x + %d}`, i), id(i+1, n))
	}
	d.exit()
}

// diamonds is a chain of switches with two sides, whose nodes read others that may
// not have run.
func diamonds(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := 0; i < n; i += 3 {
		after := id(i+3, n)
		d.node(`{"id":%s,"type":"switch","conditions":[{"rule":{">":[{"var":"$.entry.x"},3]},"next":%s}],"next":%s}`, id(i, n), fmt.Sprintf("n%d", i+1), fmt.Sprintf("n%d", i+2))
		for side := 1; side <= 2; side++ {
			source := fmt.Sprintf(`{"v": %d}`, i)
			if i >= 9 {
				source = fmt.Sprintf(`{"v": %d, "w": [$.n%d.v, $.n%d.v, $.n%d.v]}`, i, i-2, i-5, i-8)
			}
			d.transform(fmt.Sprintf("n%d", i+side), source, after)
		}
	}
	d.exit()
}

// switches has one switch with 40 conditions for four transforms.
func switches(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		if i%5 != 0 {
			d.transform(id(i, n), fmt.Sprintf(`{"v": $.entry.x + %d}`, i), id(i+1, n))
			continue
		}
		var conditions []string
		for k := range 40 {
			conditions = append(conditions, fmt.Sprintf(`{"rule":{"and":[{">":[{"var":"$.entry.x"},%d]},{"==":[{"var":"$.entry.s"},"s%d"]}]},"next":%q}`, i+k, k, id(i+1+k%5, n)))
		}
		d.node(`{"id":%s,"type":"switch","next":%s,"conditions":[`+strings.ReplaceAll(strings.Join(conditions, ","), "%", "%%")+`]}`, id(i, n), id(i+1, n))
	}
	d.exit()
}

// jumps is a chain of switches that each can end the graph, skip one or go back half
// the way, and read any other.
func jumps(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		d.node(`{"id":%s,"type":"switch","next":%s,"conditions":[{"rule":{">":[{"var":"$.entry.x"},1]},"next":"exit"},{"rule":{">":[{"var":"$.entry.x"},2]},"next":%s},{"rule":{"==":[{"var":"$.entry.s"},{"var":%s}]},"next":%s}]}`,
			id(i, n), id(i+1, n), id(i/2, n), fmt.Sprintf("$.n%d", i*7%n), id(i+2, n))
	}
	d.exit()
}

// exits is a chain of switches that each lead to an exit of their own.
func exits(d *document, n int) {
	d.input = input
	d.output = `{"type":"object"}`
	d.entry(id(0, n))
	for i := 0; i < n; i += 2 {
		d.node(`{"id":%s,"type":"switch","next":%s,"conditions":[{"rule":{">":[{"var":"$.entry.x"},1]},"next":%s}]}`, id(i, n), id(i+2, n), fmt.Sprintf("n%d", i+1))
		d.node(`{"id":%s,"type":"exit"}`, fmt.Sprintf("n%d", i+1))
	}
	d.exit()
}

// loops are loops of ten nodes, one after the other.
func loops(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := 0; i < n; i += 10 {
		for k := range 9 {
			d.transform(fmt.Sprintf("n%d", i+k), fmt.Sprintf(`{"v": $executionCount("n%d") + $.entry.x}`, i+k), fmt.Sprintf("n%d", i+k+1))
		}
		d.node(`{"id":%s,"type":"switch","conditions":[{"rule":{"<":[{"var":%s},3]},"next":%s}],"next":%s}`, fmt.Sprintf("n%d", i+9), fmt.Sprintf("$.n%d.v", i+8), id(i, n), id(i+10, n))
	}
	d.exit()
}

// oneLoop is one loop of all nodes. Each reads the next one.
func oneLoop(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n - 1 {
		d.transform(id(i, n), fmt.Sprintf(`{"v": $.entry.x + ($.n%d.v ?? 0)}`, (i+1)%(n-1)), id(i+1, n))
	}
	d.node(`{"id":%s,"type":"switch","conditions":[{"rule":{"<":[{"var":"$.n0.v"},3]},"next":"n0"}],"next":"exit"}`, id(n-1, n))
	d.exit()
}
