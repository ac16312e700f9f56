package codein_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
)

// A program writes a random function.
type program struct {
	*rand.Rand

	vars  map[string][]string // by type: number, text, list, object
	next  int
	depth int
	loops int
}

func (p *program) pick(list ...string) string { return list[p.IntN(len(list))] }

// value is an expression of a type.
func (p *program) value(kind string) string {
	if p.depth++; p.depth > 4 {
		p.depth--
		return map[string]string{"number": "2", "text": `"t"`, "list": "[3, 1]", "object": "{ k: 1 }"}[kind]
	}
	defer func() { p.depth-- }()
	if v := p.vars[kind]; len(v) > 0 && p.IntN(2) == 0 {
		return p.pick(v...)
	}
	n, s, l, o := func() string { return p.value("number") }, func() string { return p.value("text") }, func() string { return p.value("list") }, func() string { return p.value("object") }
	switch kind {
	case "number":
		return p.pick(strconv.Itoa(p.IntN(7)-2), "("+n()+" + "+n()+")", "("+n()+" * 2)", l()+".length", "("+l()+"[0] ?? "+n()+")", "("+o()+".k ?? 0)", "("+n()+" > 1 ? "+n()+" : "+n()+")", l()+".reduce((a, b) => a + b, 0)", "Math.max("+n()+", 1)", "(await tools.s.put({ a: "+n()+" })).id")
	case "text":
		return p.pick(`"ab"`, "`${"+n()+"}-${"+s()+"}`", "String("+n()+")", s()+".toUpperCase()", s()+".slice(1)", "("+s()+` || "e")`, l()+`.map(x => String(x)).join(",")`)
	case "list":
		return p.pick("["+n()+", "+n()+"]", "[..."+l()+"]", l()+".map(x => x + 1)", l()+".filter(x => x > "+n()+")", l()+".slice(1)", "[..."+l()+"].sort((a, b) => a - b)", "Object.values("+o()+").map(x => Number(x))", "[]")
	}
	return p.pick("{ k: "+n()+" }", "{ ..."+o()+", k: "+n()+" }", "{ m: "+n()+", k: 2 }")
}

func (p *program) statements(n int) string {
	outer := map[string][]string{}
	maps.Copy(outer, p.vars)
	var b strings.Builder
	for range n {
		b.WriteString(p.statement() + "\n")
	}
	p.vars = outer
	return b.String()
}

func (p *program) statement() string {
	kind := p.pick("number", "text", "list", "object")
	if v := p.vars[kind]; len(v) > 0 && p.IntN(3) > 0 {
		x := p.pick(v...)
		switch kind {
		case "list":
			return p.pick(x+".push("+p.value("number")+");", x+".push("+p.value("number")+");", x+".sort((a, b) => b - a);", x+" = "+p.value("list")+";", x+"[0] = 9;")
		case "object":
			return p.pick(x+".k = "+p.value("number")+";", x+"["+p.value("text")+"] = 1;", x+" = "+p.value("object")+";")
		}
		return p.pick(x+" = "+p.value(kind)+";", x+" += "+p.value(kind)+";")
	}
	if p.depth++; p.depth < 4 && p.IntN(2) == 0 {
		defer func() { p.depth-- }()
		test := p.value("number") + p.pick(" > ", " === ", " <= ") + p.value("number")
		jump := ""
		if p.loops > 0 && p.IntN(3) == 0 {
			jump = p.pick("break;", "continue;")
		} else if p.IntN(6) == 0 {
			jump = p.pick("return "+p.value("number")+";", `throw new Error("x");`)
		}
		switch p.IntN(5) {
		case 0, 1:
			return "if (" + test + ") {\n" + p.statements(2) + jump + "} else {\n" + p.statements(1) + "}"
		case 2:
			p.next++
			x := fmt.Sprintf("x%d", p.next)
			list := p.value("list")
			p.loops++
			defer func() { p.loops-- }()
			p.vars["number"] = append(p.vars["number"], x)
			body := p.statements(2)
			p.vars["number"] = p.vars["number"][:len(p.vars["number"])-1]
			return "for (let " + x + " of " + list + ") {\n" + body + "}"
		case 3:
			p.next++
			i := fmt.Sprintf("i%d", p.next)
			p.loops++
			defer func() { p.loops-- }()
			return "for (let " + i + " = 0; " + i + " < 3; " + i + "++) {\n" + p.statements(2) + "}"
		}
		return "try {\n" + p.statements(1) + p.pick("", "await tools.s.bad2({});\n") + "} catch (e) {\n" + p.statements(1) + "}"
	}
	p.depth--
	p.next++
	x := fmt.Sprintf("v%d", p.next)
	text := "let " + x + " = " + p.value(kind) + ";"
	p.vars[kind] = append(append([]string{}, p.vars[kind]...), x)
	return text
}

// TestDeepNesting: code that is nested too deep is refused.
func TestDeepNesting(t *testing.T) {
	for open, end := range map[string]string{"(": "1", "!": "1", "[": "", "if(1)": ";", "a=>": "1", "{": "", "a?.b(": "", "1?": "", "`${": "", "a+": "a"} {
		for _, size := range []int{60 << 10, 10 << 20} {
			code := codein.Compile("export default async function f(a) {\n"+strings.Repeat(open, size/len(open))+end+"\n}", engine.Env{Tools: &server{}})
			if !code.Found.HasErrors() {
				t.Errorf("%d bytes of %s are read", size, open)
			}
		}
	}
}

// TestRandomFunctions: a random function that is read does what it does in Node.
func TestRandomFunctions(t *testing.T) {
	n, first := 150, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("PATCHBAY_CODE_FUZZ")); err == nil {
		n, first = v, rand.Uint64()
	}
	var plays []play
	tried := 0
	for seed := first; len(plays) < n && tried < 10*n; seed++ {
		tried++
		p := &program{Rand: rand.New(rand.NewPCG(seed, 7)), vars: map[string][]string{}}
		body := "let n = 1, s = \"q\", l = [4], o = { k: 5 };\n"
		for k, v := range map[string]string{"number": "n", "text": "s", "list": "l", "object": "o"} {
			p.vars[k] = []string{v}
		}
		body += p.statements(6)
		code := "export default async function f(input) {\n" + body + "return { n, s, l, o };\n}"
		if !codein.Compile(code, engine.Env{Tools: &server{}}).Found.HasErrors() {
			plays = append(plays, play{Code: code, Input: json.RawMessage(`{}`), Tools: map[string]json.RawMessage{"put": json.RawMessage(`{"ok":true,"id":7}`)}})
		}
	}
	t.Logf("%d of %d functions are read", len(plays), tried)
	compare(t, plays, false)
}
