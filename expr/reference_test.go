package expr

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

// referenceScript evaluates with jsonata on Node: the input is {context,
// sources}, the output one answer per source.
const referenceScript = `
const jsonata = require(process.env.JSONATA_NODE + '/jsonata');
const chunks = [];
process.stdin.on('data', c => chunks.push(c)).on('end', async () => {
  const { context, sources } = JSON.parse(Buffer.concat(chunks));
  const out = [];
  for (const src of sources) {
    try {
      const v = await jsonata(src).evaluate(context);
      const s = typeof v === 'function' || v && v._jsonata_function || v && v._jsonata_lambda ? undefined : JSON.stringify(v);
      out.push(s === undefined ? { kind: 'undef' } : { kind: 'result', result: s });
    } catch (e) {
      out.push({ kind: 'error', error: e.code + ': ' + e.message });
    }
  }
  console.log(JSON.stringify(out));
});`

// askReference evaluates sources with jsonata on Node.
func askReference(t *testing.T, context string, sources []string) []answer {
	t.Helper()
	if os.Getenv("JSONATA_NODE") == "" {
		t.Skip("JSONATA_NODE is not set: it names a node_modules folder with jsonata")
	}
	in, err := json.Marshal(map[string]any{"context": json.RawMessage(context), "sources": sources})
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "-e", referenceScript)
	node.Stdin, node.Stderr = strings.NewReader(string(in)), os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []answer
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// A phrase makes random expressions out of operators, so that what binds tighter
// than what matters.
type phrase struct{ *rand.Rand }

func (p phrase) of(depth int) string {
	if depth == 0 {
		return p.pick(`1`, `2`, `0`, `"x"`, `"A"`, `true`, `false`, `null`, `a`, `o.b`, `none`, `items.n`, `items[0].n`, `"o"."b"`, `"o"["b"=1].b`, `$sum(items.n)`, `-a`, `[a, 2]`, `{"k": a}`,
			`items{t: n}`, `(a; 2)`, `items^(n).n`, `o."b"[0]`, `items.n[0]`, `items[n>1].n[]`, `$map(items, function($i) { $i.n })`, `items@$i.n`, `items#$i[$i=0].n`, `*`, `o.*`, `items.*[0]`, `*.n`, `o.l.*`)
	}
	x := func() string { return p.of(p.IntN(depth)) }
	switch p.IntN(12) {
	case 0:
		return x() + p.pick(` ~> `, `~>`) + p.pick(`$string`, `$string()`, `$uppercase()`, `$count`, `$sum()`, `$not`, `$append(2)`, `($string)`, `function($x) { [$x] }`, `$exists`) + p.pick(``, ` = `+x())
	case 1:
		return x() + ` ? ` + x() + ` : ` + x()
	case 2:
		return x() + ` ?: ` + x()
	case 3:
		return x() + ` ?? ` + x()
	case 4:
		return `(` + x() + `)` + p.pick(``, `.`+p.pick(`n`, `{"z": $}`, `(n)`, `"n"`, `"n"[0]`))
	case 5:
		return `[` + x() + p.pick(`..`, `, `) + x() + `]`
	case 6:
		return p.pick(`items`, `o`, `$map(items, function($v) { $v })`, `(items)`, `items[n>1]`, `o.l`, `items.n`) + p.pick(``, `{t: n}`, `{$string(n): $}`, `^(>n)`, `[n = 2]`) + p.pick(`.{"z": n}`, `.n`, `.(n)`, `{"q" & $string(n): n}`, `.*`, `.*[$ > 1]`, `.*^($string($))`, ``)
	case 7:
		return `($x := ` + x() + `; $x)`
	default:
		return x() + p.pick(` + `, ` - `, ` * `, ` / `, ` & `, ` = `, ` != `, ` < `, ` >= `, ` and `, ` or `, ` in `, ` % `) + x()
	}
}

func (p phrase) pick(of ...string) string { return of[p.IntN(len(of))] }

const phraseContext = `{"a":3,"o":{"b":1,"l":[1,2]},"items":[{"t":"x","n":1},{"t":"y","n":2},{"t":"x","n":3}]}`

// TestReference compares random combinations of operators with the reference
// implementation.
func TestReference(t *testing.T) {
	p := phrase{rand.New(rand.NewPCG(1, 1))}
	sources := make([]string, 4000)
	for i := range sources {
		sources[i] = p.of(1 + p.IntN(3))
	}
	for i, want := range askReference(t, phraseContext, sources) {
		c := conformance.Case{Expr: sources[i], Data: json.RawMessage(phraseContext), HasData: true, Bindings: json.RawMessage(`{}`), Kind: want.Kind, Result: json.RawMessage(want.Result), Code: want.Error}
		got := ask(t, c)
		switch code, _, _ := strings.Cut(want.Error, ":"); {
		case code == "T2001" || code == "T2002" || code == "T2010": // of an undefined operand's partner
		case code == "D1001": // of a division by zero, which is an error here in the end
		case code == "S0302": // its own slip: "/" behind "[]"
		case strings.HasPrefix(got.Error, "not-a-number"), strings.HasPrefix(got.Error, "function-result"), strings.HasPrefix(got.Error, "D3001"):
		default:
			if d := differs(c, got); d != "" {
				t.Errorf("%s\n\t%s", sources[i], d)
			}
		}
	}
}
