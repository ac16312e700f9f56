package torture

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// documentAttack checks a document that is large, dense, deep or broken.
func documentAttack(r *rand.Rand) attack {
	doc := document(r)
	if len(doc) > 4 && r.IntN(4) == 0 { // damage it
		b := []byte(doc)
		for range 1 + r.IntN(5) {
			at := r.IntN(len(b))
			b[at] = pick[byte](r, '{', ']', ':', '\n', ' ', '"', '&', '*', '|', 0, 0xff)
		}
		doc = strings.ToValidUTF8(string(b), "?")
	}
	args := map[string]any{"graph": doc}
	if r.IntN(6) == 0 {
		args["apply_fixes"] = true
	}
	return attack{tool: "validate_graph", args: args, limit: validateLimit, counted: true}
}

// switches writes switches of k conditions each that read one of n nodes.
func switches(b *strings.Builder, r *rand.Rand, n, k int) {
	for i := range min(n, 40_000/k) {
		fmt.Fprintf(b, "  - {id: n%d, type: switch, conditions: [%s], next: n%d}\n", i, pairs(k, func(int) string {
			return fmt.Sprintf(`{rule: {"==": [{var: $.n%d}, 1]}, next: n%d}`, r.IntN(n), r.IntN(n))
		}), i+1)
	}
}

func document(r *rand.Rand) string {
	n := size(r, 5_000)
	var b strings.Builder
	b.WriteString("nodes:\n  - {id: entry, type: entry, next: n0}\n")
	end := func() string {
		b.WriteString("  - {id: exit, type: exit}\n")
		return b.String()
	}
	switch r.IntN(11) {
	case 0: // switches that read each other
		k := 1 + r.IntN(40)
		switches(&b, r, n, k)
		return end()
	case 1: // a chain of references
		for i := range n {
			fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: '$.n%d & $.n%d'}, next: n%d}\n", i, r.IntN(n), max(i-1, 0), i+1)
		}
		return end()
	case 2: // a result whose type doubles
		for i := range min(n, 200) {
			fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: '{\"a\": $.n%d, \"b\": $.n%d}'}, next: n%d}\n", i, max(i-1, 0), max(i-1, 0), i+1)
		}
		return end()
	case 3: // long names
		long := strings.Repeat(pick(r, "x", "ä", "\u202e", "\U000e0041", " "), size(r, 1_000_000))
		fmt.Fprintf(&b, "  - {id: n0, type: transform, %q: 1, transform: {expr: %q}, next: %q}\n", long, long, long)
		return end()
	case 4: // deep flow
		return strings.Repeat("[", size(r, 100_000))
	case 5: // aliases
		b.Reset()
		b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
		for i := range 10 {
			fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, pairs(9, func(int) string { return fmt.Sprintf("*a%d", i) }))
		}
		return b.String()
	case 6: // parallel branches
		fmt.Fprintf(&b, "  - {id: n0, type: parallel, branches: [%s], join: exit}\n", pairs(n, func(i int) string { return fmt.Sprintf("m%d", i) }))
		for i := range n {
			fmt.Fprintf(&b, "  - {id: m%d, type: transform, transform: {expr: $.m%d}, next: exit}\n", i, r.IntN(n))
		}
		return end()
	case 7: // missing arguments of a call
		fmt.Fprintf(&b, "  - {id: n0, type: mcp, server: hostile, tool: wide, args: {}, next: exit}\n")
		return end()
	case 8: // unknown fields and types
		for i := range n {
			fmt.Fprintf(&b, "  - {id: n%d, type: %s, %s: %d, next: n%d}\n", r.IntN(n), pick(r, "swich", "transfrom", "loop", "mcp"), pick(r, "retry", "foreach", "onEror", "x"), i, r.IntN(n))
		}
		return end()
	case 9: // an expression in each node that does not parse, or is large
		for i := range min(n, 500) {
			fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: %q}, next: n%d}\n", i, expression(r, 3), i+1)
		}
		return end()
	}
	s, _ := schemaOf(r)
	return graphOf(`{"type":"object","properties":{"a":`+s+`}}`, `{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":{"expr":"$.entry.a"}}`)
}

// runAttack runs a graph that does not want to end, or makes much.
func runAttack(r *rand.Rand) attack {
	again := `"next":"s"},{"id":"s","type":"switch","conditions":[{"rule":{">":[{"var":"$executionCount(\"l\")"},1000000]},"next":"exit"}],"next":"l"}`
	nodes := pick(r,
		`{"id":"l","type":"transform","transform":{"expr":"1"},`+again,
		`{"id":"l","type":"transform","transform":{"expr":"$count([1..1000000])"},`+again,
		`{"id":"l","type":"transform","transform":{"expr":"[$nodeExecution(\"l\", -1), $nodeExecution(\"l\", -1), 1]"},`+again,
		fmt.Sprintf(`{"id":"l","type":"transform","transform":{"expr":"$item"},"foreach":{"items":{"expr":"[1..%d]"},"concurrency":%d},"next":"exit"}`, size(r, 5_000_000), 1+r.IntN(64)),
		fmt.Sprintf(`{"id":"l","type":"transform","transform":{"expr":"$pad(\"\", %d)"},"foreach":{"items":{"expr":"[1..%d]"}},"next":"exit"}`, size(r, 16<<20), size(r, 1000)),
		fmt.Sprintf(`{"id":"l","type":"wait","ms":%d,"next":"exit"}`, size(r, 100_000)),
		fmt.Sprintf(`{"id":"l","type":"parallel","branches":[%s],"join":"exit"},%s`,
			pairs(50, func(i int) string { return fmt.Sprintf(`"b%d"`, i) }),
			pairs(50, func(i int) string {
				return fmt.Sprintf(`{"id":"b%d","type":"transform","transform":{"expr":%q},"next":"exit"}`, i, listExpression(r, 2))
			})),
	)
	graph := graphOf(`{"type":"object"}`, `{"id":"entry","type":"entry","next":"l"},`+nodes+`,{"id":"exit","type":"exit","result":1}`)
	if r.IntN(2) == 0 {
		graph = `{"version":"1.0","server":{"name":"t","version":"1"},"executionLimits":{"maxNodeExecutions":1000000},"tools":[` + graph + `]}`
	}
	return attack{tool: "run_graph", args: map[string]any{"graph": graph, "timeout_ms": runLimit.Milliseconds()}, limit: runLimit}
}
