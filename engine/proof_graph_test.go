package engine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// sketch is a graph of the proof, in pieces that can be changed and written out.
type sketch struct {
	input, output *typ
	tools         []*sketchTool
	nodes         []*sketchNode
	known         shelf     // of tools, made once
	warnings      diag.List // of the last check
	doubts        diag.List // those of them about types
}

type sketchTool struct {
	server, name  string
	input, output *typ // output nil: the tool has no output schema
}

type sketchNode struct {
	id, kind, next string
	tool           *sketchTool
	spelt          string // the kind as written, if not as it is
	server, name   string // as written, of an mcp node
	args           []*sketchArg
	expr           *ex // of a transform, or the result of an exit
	cases          []*sketchCase
}

// sketchArg is an argument: an expression, or a literal.
type sketchArg struct {
	name    string
	f       *field
	expr    *ex
	literal any
}

type sketchCase struct {
	rule any // maps, lists, literals and *ex, which stand in a var
	next string
}

// written is a sketch as text, with the places of its pieces.
type written struct {
	text string
	at   map[*ex]place
}

// place is where a piece stands: in the text at a JSON Pointer, between offsets.
type place struct {
	node, pointer string
	span
}

func (s *sketch) write() *written {
	w := &written{at: map[*ex]place{}}
	var b strings.Builder
	fmt.Fprintf(&b, "{\"name\": \"proof\", \"description\": \"Proof\",\n\"inputSchema\": %s,\n\"outputSchema\": %s,\n\"nodes\": [\n", s.input.schemaText(), s.output.schemaText())
	for i, n := range s.nodes {
		if i > 0 {
			b.WriteString(",\n")
		}
		at := fmt.Sprintf("/nodes/%d", i)
		fmt.Fprintf(&b, "  {\"id\": %q, \"type\": %q", n.id, cmp.Or(n.spelt, n.kind))
		switch {
		case n.tool != nil:
			fmt.Fprintf(&b, ", \"server\": %q, \"tool\": %q, \"args\": {", n.server, n.name)
			for j, a := range n.args {
				if j > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "%q: ", a.name)
				if a.expr == nil {
					b.WriteString(asJSON(a.literal))
				} else {
					fmt.Fprintf(&b, "{\"expr\": %s}", w.expr(n, at+"/args/"+a.name+"/expr", a.expr))
				}
			}
			b.WriteString("}")
		case n.kind == "transform":
			fmt.Fprintf(&b, ", \"transform\": {\"expr\": %s}", w.expr(n, at+"/transform/expr", n.expr))
		case n.kind == "switch":
			b.WriteString(", \"conditions\": [")
			for j, c := range n.cases {
				if j > 0 {
					b.WriteString(", ")
				}
				b.WriteString("{\"rule\": ")
				w.rule(&b, n, fmt.Sprintf("%s/conditions/%d/rule", at, j), c.rule)
				fmt.Fprintf(&b, ", \"next\": %q}", c.next)
			}
			b.WriteString("]")
		case n.expr != nil:
			fmt.Fprintf(&b, ", \"result\": {\"expr\": %s}", w.expr(n, at+"/result/expr", n.expr))
		}
		if n.next != "" {
			fmt.Fprintf(&b, ", \"next\": %q", n.next)
		}
		b.WriteString("}")
	}
	b.WriteString("\n]}\n")
	w.text = b.String()
	return w
}

func (w *written) expr(n *sketchNode, pointer string, e *ex) string {
	var b strings.Builder
	spans := map[*ex]span{}
	e.write(&b, spans)
	for e, s := range spans {
		w.at[e] = place{n.id, pointer, s}
	}
	return asJSON(b.String())
}

func (w *written) rule(b *strings.Builder, n *sketchNode, pointer string, rule any) {
	switch r := rule.(type) {
	case *ex:
		src := w.expr(n, pointer+"/var", r)
		if number := strings.Trim(src, `"`); strings.Trim(number, "-.0123456789") == "" { // in a var it would be a path
			b.WriteString(number)
			return
		}
		fmt.Fprintf(b, "{\"var\": %s}", src)
	case []any:
		b.WriteString("[")
		for i, item := range r {
			if i > 0 {
				b.WriteString(", ")
			}
			w.rule(b, n, fmt.Sprintf("%s/%d", pointer, i), item)
		}
		b.WriteString("]")
	case map[string]any:
		for op, args := range r {
			fmt.Fprintf(b, "{%q: ", op)
			w.rule(b, n, pointer+"/"+op, args)
			b.WriteString("}")
		}
	default:
		b.WriteString(asJSON(r))
	}
}

func asJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// expressions calls f for every expression, with its node.
func (s *sketch) expressions(f func(n *sketchNode, e *ex)) {
	var inRule func(n *sketchNode, rule any)
	inRule = func(n *sketchNode, rule any) {
		switch r := rule.(type) {
		case *ex:
			f(n, r)
		case []any:
			for _, item := range r {
				inRule(n, item)
			}
		case map[string]any:
			for _, args := range r {
				inRule(n, args)
			}
		}
	}
	for _, n := range s.nodes {
		if n.expr != nil {
			f(n, n.expr)
		}
		for _, a := range n.args {
			if a.expr != nil {
				f(n, a.expr)
			}
		}
		for _, c := range n.cases {
			inRule(n, c.rule)
		}
	}
}

// shelf is the graph's tools as the checker sees them.
func (s *sketch) shelf() shelf {
	if s.known != nil {
		return s.known
	}
	s.known = shelf{}
	for _, t := range s.tools {
		output := ""
		if t.output != nil {
			output = t.output.schemaText()
		}
		s.known.put(t.server, t.name, t.input.schemaText(), output)
	}
	return s.known
}

// drawer makes a sketch.
type drawer struct {
	*builder
	s     *sketch
	count int
}

func draw(r *rand.Rand) *sketch {
	d := &drawer{builder: &builder{r: r}, s: &sketch{input: objectType(r, 2, 2+r.IntN(4))}}
	for _, f := range d.s.input.fields {
		if f.optional && r.IntN(2) == 0 {
			if f.def = f.t.value(r); f.def != nil {
				f.optional = false
			}
		}
	}
	verbs := []string{"list", "fetch", "count", "update", "report"}
	for i := range 2 + r.IntN(3) {
		t := &sketchTool{server: []string{"files", "ledger"}[i%2], name: verbs[i] + "_" + proofNames[r.IntN(len(proofNames))], input: objectType(r, 1, 1+r.IntN(4))}
		t.input.strict = r.IntN(3) != 0
		if r.IntN(8) != 0 {
			t.output = objectType(r, 2, 2+r.IntN(3))
		}
		d.s.tools = append(d.s.tools, t)
	}
	d.graph()
	return d.s
}

// id names the next node.
func (d *drawer) id(kind string) string {
	d.count++
	return fmt.Sprintf("%s%d", kind, d.count)
}

func (d *drawer) add(n *sketchNode) { d.s.nodes = append(d.s.nodes, n) }

// out is a node's output as something to read.
func (d *drawer) out(id string, t *typ, maybe bool) source {
	return source{t: t, maybe: maybe, head: func() []any { return []any{"$.", &ex{parts: []any{id}, role: nodeRole, node: id}} }}
}

// graph draws nodes from the entry on: calls and computations, branches that
// join, loops.
func (d *drawer) graph() {
	first := "n1"
	d.add(&sketchNode{id: "entry", kind: "entry", next: first})
	input := &typ{kind: "object", strict: d.s.input.strict, fields: d.s.input.fields}
	d.sources = append(d.sources, d.out("entry", input, false))
	size := 1 + d.r.IntN(8)
	d.s.output = d.resultType()
	for len(d.s.nodes) <= size {
		switch d.r.IntN(8) {
		case 0, 1:
			d.branch()
		case 2:
			d.loop()
		case 3, 4, 5:
			d.call()
		default:
			d.transform()
		}
	}
	d.exit()
}

// name is what the next node will be called.
func (d *drawer) following() string { return fmt.Sprintf("n%d", d.count+1) }

func (d *drawer) call() { d.see(d.callNode(), false) }

func (d *drawer) see(n *sketchNode, maybe bool) {
	if n.kind == "transform" {
		d.sources = append(d.sources, d.out(n.id, n.expr.t, maybe))
	} else if n.tool != nil && n.tool.output != nil {
		d.sources = append(d.sources, d.out(n.id, n.tool.output, maybe))
	}
}

func (d *drawer) callNode() *sketchNode {
	t := d.s.tools[d.r.IntN(len(d.s.tools))]
	n := &sketchNode{id: d.id("n"), kind: "mcp", tool: t, server: t.server, name: t.name}
	for _, f := range t.input.fields {
		a := &sketchArg{name: f.name, f: f}
		switch {
		case f.optional && d.chance(2):
			continue
		case d.chance(3):
			a.literal = f.t.value(d.r)
			if text, ok := a.literal.(string); ok && text == "" {
				a.literal = f.t.value(d.r)
			}
		case f.optional:
			a.expr = d.expr(f.t, 2)
		default:
			a.expr = d.sure(f.t, 2)
		}
		n.args = append(n.args, a)
	}
	n.next = d.following()
	d.add(n)
	return n
}

func (d *drawer) transform() { d.see(d.transformNode(), false) }

func (d *drawer) transformNode() *sketchNode {
	t := objectType(d.r, 1, 1+d.r.IntN(3))
	if d.chance(5) {
		t = plainOf(anyType(d.r, 1))
	}
	n := &sketchNode{id: d.id("n"), kind: "transform", expr: d.sure(t, 3)}
	n.expr = piece(t, n.expr)
	n.next = d.following()
	d.add(n)
	return n
}
