package graphdata

import (
	"encoding/json"
	"fmt"
	"strings"
)

// fork adds a parallel node.
func (d *document) fork(id string, heads []string, join string) {
	b, _ := json.Marshal(heads)
	d.node(`{"id":%s,"type":"parallel","branches":`+string(b)+`,"join":%s}`, id, join)
}

// wideFork is one parallel node with a branch for each node, and a reader of them all.
func wideFork(d *document, n int) {
	d.input = input
	heads := make([]string, n)
	for i := range heads {
		heads[i] = fmt.Sprintf("n%d", i)
	}
	d.entry("fork")
	d.fork("fork", heads, "after")
	for i, head := range heads {
		d.transform(head, fmt.Sprintf(`{"v": $.entry.x + %d}`, i), "after")
	}
	d.transform("after", reads(heads), "exit")
	d.exit()
}

// reads is an expression that reads nodes, as many as its length allows.
func reads(ids []string) string {
	var parts []string
	for _, id := range ids[:len(ids)/4] {
		parts = append(parts, "$."+id+".v")
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// forks are parallel nodes of eight branches, one after the other.
func forks(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := 0; i < n; i += 10 {
		var heads []string
		join := fmt.Sprintf("n%d", i+9)
		for k := 1; k < 9; k++ {
			heads = append(heads, fmt.Sprintf("n%d", i+k))
		}
		d.fork(id(i, n), heads, join)
		for k, head := range heads {
			read := "$.entry.x"
			if i > 0 {
				read = fmt.Sprintf("$.n%d.v", i-1)
			}
			d.transform(head, fmt.Sprintf(`{"v": %s + %d}`, read, k), join)
		}
		d.transform(join, fmt.Sprintf(`{"v": $.n%d.v + $.n%d.v}`, i+1, i+8), id(i+10, n))
	}
	d.exit()
}

// nestedForks are parallel nodes inside each other, twelve deep.
func nestedForks(d *document, n int) {
	const depth = 12
	d.input = input
	d.entry(id(0, n))
	n -= n % (2*depth + 1)
	for i := 0; i < n; i += 2*depth + 1 {
		after := id(i+2*depth+1, n)
		for k := 0; k < 2*depth; k += 2 {
			fork, leaf := fmt.Sprintf("n%d", i+k), fmt.Sprintf("n%d", i+k+1)
			inner := fmt.Sprintf("n%d", i+k+2)
			d.fork(fork, []string{leaf, inner}, after)
			d.transform(leaf, `{"v": $.entry.x}`, after)
		}
		d.transform(fmt.Sprintf("n%d", i+2*depth), `{"v": $.entry.x}`, after)
	}
	d.exit()
}

// foreach is a chain of nodes with items, which are those of the node before.
func foreach(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		items := "$.entry.rows"
		if i > 0 {
			items = fmt.Sprintf("$.n%d", i-1)
		}
		d.node(`{"id":%s,"type":"transform","transform":{"expr":%s},"foreach":{"items":{"expr":%s}},"next":%s}`, id(i, n), fmt.Sprintf(`{"a": $item.a + %d, "b": $item.b}`, i), items, id(i+1, n))
	}
	d.exit()
}

// nestedValues is a chain whose every value holds the one before.
func nestedValues(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		before := "$.entry"
		if i > 0 {
			before = fmt.Sprintf("$.n%d", i-1)
		}
		d.transform(id(i, n), fmt.Sprintf(`{"before": %s, "v": %d}`, before, i), id(i+1, n))
	}
	d.exit()
}

// doubledValues is a chain whose every value holds the one before twice.
func doubledValues(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		before := "$.entry"
		if i > 0 {
			before = fmt.Sprintf("$.n%d", i-1)
		}
		d.transform(id(i, n), fmt.Sprintf(`{"a": %s, "b": %s, "v": %d}`, before, before, i), id(i+1, n))
	}
	d.exit()
}

// longExpression is one expression of n/8 parts.
func longExpression(d *document, n int) {
	d.input = input
	d.entry("sum")
	parts := make([]string, n/8)
	for i := range parts {
		parts[i] = fmt.Sprintf("$.entry.rows[%d].a * %d + $count($.entry.rows)", i, i)
	}
	d.transform("sum", "[\n"+strings.Join(parts, ",\n")+"]", "exit")
	d.exit()
}

// deepExpressions are expressions of 60 brackets inside each other.
func deepExpressions(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		d.transform(id(i, n), strings.Repeat("[{\"a\": (", 20)+fmt.Sprintf("$.entry.x + %d", i)+strings.Repeat(")}]", 20), id(i+1, n))
	}
	d.exit()
}

// wideValue is a value of n/8 fields, n nodes that read one of them each, and one that
// holds it.
func wideValue(d *document, n int) {
	d.input = input
	fields := make([]string, n/8)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"f%d": $.entry.x + %d`, i, i)
	}
	d.entry("wide")
	d.transform("wide", "{"+strings.Join(fields, ",\n")+"}", id(0, n))
	for i := range n {
		d.transform(id(i, n), fmt.Sprintf(`{"v": $.wide.f%d, "all": $.wide}`, i%len(fields)), id(i+1, n))
	}
	d.exit()
}

// wideInput is a tool of n required arguments. Each node reads one.
func wideInput(d *document, n int) {
	properties, required := make([]string, n), make([]string, n)
	for i := range n {
		properties[i], required[i] = fmt.Sprintf(`"f%d":{"type":"integer","description":"argument %d"}`, i, i), fmt.Sprintf(`"f%d"`, i)
	}
	d.input = `{"type":"object","properties":{` + strings.Join(properties, ",\n") + `},"required":[` + strings.Join(required, ",") + `]}`
	d.entry(id(0, n))
	for i := range n {
		d.transform(id(i, n), fmt.Sprintf("$.entry.f%d + 1", i), id(i+1, n))
	}
	d.exit()
}

// tools is a document of many tools of ten nodes.
func tools(d *document, n int) {
	for i := range n / 10 {
		d.entry("n0")
		for k := range 8 {
			d.transform(id(k, 8), fmt.Sprintf(`{"v": $.entry.x + %d}`, i*8+k), id(k+1, 8))
		}
		d.exit()
		d.tool(fmt.Sprintf("tool%d", i))
	}
}

// oneReader is a chain of nodes whose last reads many of them.
func oneReader(d *document, n int) {
	d.input = input
	d.entry(id(0, n))
	ids := make([]string, n)
	for i := range n {
		ids[i] = fmt.Sprintf("n%d", i)
		d.transform(ids[i], fmt.Sprintf(`{"v": %d}`, i), fmt.Sprintf("n%d", i+1))
	}
	d.transform(fmt.Sprintf("n%d", n), reads(ids), "exit")
	d.exit()
}

// unsetValues is a chain of nodes that read fields that may be missing.
func unsetValues(d *document, n int) {
	d.input = `{"type":"object","properties":{"x":{"type":["integer","null"]},"s":{"type":["string","integer"]}}}`
	d.entry(id(0, n))
	for i := range n {
		d.transform(id(i, n), fmt.Sprintf(`{"v": $.entry.x + %d, "t": $uppercase($.entry.s), "u": $.entry.u}`, i), id(i+1, n))
	}
	d.exit()
}
