package jsonata

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// referenceScript evaluates with jsonata on Node: each line of the input is {source,
// input}, each line of the output what came of it.
const referenceScript = `
const jsonata = require(process.argv[1]);
require('readline').createInterface({ input: process.stdin }).on('line', async line => {
  const { source, input } = JSON.parse(line);
  let out;
  try {
    const v = await jsonata(source).evaluate(input);
    const isFunction = v && (typeof v === 'function' || v._jsonata_function || v._jsonata_lambda);
    const s = isFunction ? undefined : JSON.stringify(v, (key, w) => w && (typeof w === 'function' || w._jsonata_function || w._jsonata_lambda) ? '\u0000function' : w);
    out = isFunction ? { error: 'function-result' } : s === undefined ? { result: 'undefined' } : { result: s };
  } catch (e) {
    out = { error: String(e.code || 'crash'), message: String(e.message) };
  }
  console.log(JSON.stringify(out));
});`

// A reference is jsonata on Node in a child process.
type reference struct {
	in  *json.Encoder
	out *bufio.Scanner
}

type outcome struct{ Result, Error, Message string }

func newReference(t *testing.T) *reference {
	t.Helper()
	module, err := filepath.Abs("../testdata/npm/node_modules/jsonata")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(module); err != nil {
		t.Skip("jsonata is not installed: npm ci --prefix testdata/npm")
	}
	node := exec.CommandContext(t.Context(), "node", "-e", referenceScript, module)
	in, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	node.Stderr = os.Stderr
	if err := node.Start(); err != nil {
		t.Skip("Node is not installed:", err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = node.Wait()
	})
	r := &reference{json.NewEncoder(in), bufio.NewScanner(out)}
	r.out.Buffer(nil, 16<<20)
	return r
}

func (r *reference) eval(t *testing.T, source, input string) (o outcome) {
	t.Helper()
	if err := r.in.Encode(map[string]any{"source": source, "input": json.RawMessage(input)}); err != nil {
		t.Fatal(err)
	}
	if !r.out.Scan() {
		t.Fatalf("jsonata on Node ended at %s over %s: %v", source, input, r.out.Err())
	}
	if err := json.Unmarshal(r.out.Bytes(), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// ours evaluates with this package.
func ours(t *testing.T, source, input string) (o outcome) {
	t.Helper()
	x, err := Compile(source)
	var v Value
	if err == nil {
		v, err = x.Eval(t.Context(), mustDecode(t, []byte(input)), WithLimits(Limits{Timeout: time.Minute, MaxSteps: 50_000, MaxCalls: 100}))
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		return outcome{Error: fault.Code, Message: fault.Message}
	}
	if v == nil {
		return outcome{Result: "undefined"}
	}
	b, err := Encode(v)
	if err != nil {
		t.Fatal(source, err)
	}
	return outcome{Result: string(b)}
}

// listed are the classes of difference that are on purpose: see "Known differences" in
// docs/expressions.md.
var listed = []struct {
	name  string
	holds func(source string, ours, theirs outcome) bool
}{
	{"not finite: an error here, null there", func(_ string, ours, theirs outcome) bool {
		return ours.Error == "not-a-number" && (strings.Contains(theirs.Result, "null") || theirs.Error != "")
	}},
	{"function in a result: an error here", func(_ string, ours, theirs outcome) bool {
		return ours.Error == "function-result" && (strings.Contains(theirs.Result, "function") || theirs.Error != "")
	}},
	{"crash of the reference", func(_ string, _, theirs outcome) bool { return theirs.Error == "crash" }},
	{"string as a pattern of $match", func(source string, _, theirs outcome) bool {
		return strings.Contains(source, "$match") && theirs.Error == "T0410"
	}},
	{"$clone of any value", func(source string, _, theirs outcome) bool {
		return strings.Contains(source, "$clone") && (theirs.Error == "T0410" || theirs.Error == "T0411")
	}},
	{"variables and context of a function that ends with $eval", func(source string, _, _ outcome) bool {
		return strings.Contains(source, `$eval("$v"`) || strings.Contains(source, "$eval(") && strings.Contains(source, "function(")
	}},
	{"replacement of a string by what is none", func(source string, ours, _ outcome) bool {
		return strings.Contains(source, "$replace") && ours.Error == "D3012"
	}},
	{"arguments of a partial application are checked", func(source string, ours, _ outcome) bool {
		return strings.Contains(source, "?") && ours.Error == "T0410"
	}},
	{"$parseInteger of no number: an error here, null there", func(source string, ours, _ outcome) bool {
		return strings.Contains(source, "$parseInteger") && ours.Error == "D3030"
	}},
	{"context of a native function at the end of another: null there", func(source string, _, theirs outcome) bool {
		return strings.Contains(source, "function(") && (theirs.Error == "T0411" || bareCall.MatchString(source))
	}},
	{"empty array that a grouping has put null into", func(source string, ours, theirs outcome) bool {
		return strings.Contains(source, "{") && same(strings.ReplaceAll(theirs.Result, "[null]", "[]"), strings.ReplaceAll(ours.Result, "[null]", "[]"), false)
	}},
	{"regular expression that is called", func(source string, _, _ outcome) bool { return strings.Contains(source, "~> /") }},
	{"a slash behind a bracket begins a regular expression there", func(_ string, _, theirs outcome) bool { return theirs.Error == "S0302" }},
}

// bareCall finds calls without arguments.
var bareCall = regexp.MustCompile(`\$[a-z]\w*\(\)`)

// limited reports whether an evaluation was ended by a limit.
func (o outcome) limited() bool {
	return strings.HasPrefix(o.Error, "too-") || o.Error == "U1001" || o.Error == "timeout"
}

// differs says how the outcomes differ, or "". An error is one whatever its code, as the
// order in which operands are checked is not told.
func differs(source string, ours, theirs outcome) string {
	if ours.Error != "" && theirs.Error != "" || ours.Error == "" && theirs.Error == "" && (ours.Result == theirs.Result || same(ours.Result, theirs.Result, false)) {
		return ""
	}
	for _, class := range listed {
		if class.holds(source, ours, theirs) {
			return ""
		}
	}
	return fmt.Sprintf("ours %+v, theirs %+v", ours, theirs)
}

// A grammar makes random expressions over the fields of its values.
type grammar struct{ *rand.Rand }

func (g grammar) pick(of ...string) string { return of[g.IntN(len(of))] }

// value makes JSON.
func (g grammar) value(depth int) string {
	switch n := g.IntN(10); {
	case depth == 0 || n < 4:
		return g.pick("0", "1", "2", "3", "-1.5", "10", `"x"`, `"yy"`, `""`, `"b a"`, "true", "false", "null")
	case n < 7:
		var fields []string
		for _, name := range []string{"a", "b", "c", "n", "t"} {
			if g.IntN(2) == 0 {
				fields = append(fields, `"`+name+`":`+g.value(depth-1))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	var items []string
	for range g.IntN(4) {
		items = append(items, g.value(depth-1))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// expr makes an expression.
func (g grammar) expr(depth int) string {
	if depth == 0 {
		return g.pick("1", "2", "0", `"x"`, `"b"`, "true", "false", "null", "a", "b", "c", "n", "t", "$", "$$", "$v", "a.b", "b.n", "c[0]", "*", "a.*", "**.n", "/[a-y]/", "[]", "{}")
	}
	x := func() string { return g.expr(g.IntN(depth)) }
	switch g.IntN(26) {
	case 0, 1, 2:
		return x() + " " + g.pick("+", "-", "*", "/", "%", "&", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in", "~>", "??", "?:") + " " + x()
	case 3, 4, 5:
		return g.path(depth)
	case 6:
		return "(" + x() + ")" + g.pick("", "[0]", "[-1]", "[n > 1]", "[]", "."+g.pick("a", "b", "n", "{\"k\": $}", "($)", "[$]", "*"))
	case 7:
		return "[" + x() + g.pick("", ", ", "..") + "" + g.pick("]", x()+"]")
	case 8:
		return "{" + g.pick(`"k"`, `$string(n)`, "t") + ": " + x() + g.pick("", `, "m": `+x()) + "}"
	case 9:
		return "(" + g.pick("$v", "$w") + " := " + x() + "; " + x() + ")"
	case 10:
		return "(" + x() + " ? " + x() + g.pick("", " : "+x()) + ")"
	case 11:
		return "-" + g.pick("a", "n", "b.n", "1")
	case 12:
		return g.pick("$map", "$filter", "$single", "$each", "$sift") + "(" + x() + ", function(" + g.pick("$v", "$v, $i", "$v, $i, $all") + ") { " + x() + " })"
	case 13:
		return "$reduce(" + x() + ", function($v, $w) { " + x() + " }" + g.pick("", ", "+x()) + ")"
	case 14:
		return "$sort(" + x() + g.pick("", ", function($v, $w) { $v > $w }") + ")"
	case 15:
		return g.pick("$substring", "$formatBase", "$power", "$round", "$lookup", "$append", "$pad", "$split", "$join", "$contains", "$substringBefore", "$substringAfter", "$match", "$zip", "$formatNumber", "$formatInteger", "$parseInteger") +
			"(" + x() + ", " + g.pick(x(), `"n"`, "1", "2", `"0"`, "/x/") + g.pick("", ", "+x()) + ")"
	case 16:
		return "$replace(" + x() + ", " + g.pick(`"x"`, `/[xy]/`, "/(x)|y/") + ", " + g.pick(`"z"`, `"$1$0"`, "function($m) { $m.match & $m.start }", x()) + g.pick("", ", 1") + ")"
	case 17:
		return x() + " ~> |" + g.pick("$", "a", "b", "**") + "|" + g.pick(`{"z": `+x()+"}", x()) + g.pick("", `, "a"`, ", "+x()) + "|"
	case 18:
		return x() + " ~> " + g.pick("$sum", "$count", "$string", "$uppercase()", "$append("+x()+")", "$substring(?, 1)", "function($v) { "+x()+" }", "$trim ~> $length")
	case 19:
		return "(" + g.pick("$f", "$g") + " := function($v, $w) { " + x() + " }; $f(" + x() + g.pick("", ", "+x(), ", ?") + "))"
	case 20:
		return "$eval(" + g.pick(`"a"`, `"n + 1"`, `"$v"`, `"[1,2].($ * 2)"`) + g.pick("", ", "+x()) + ")"
	default:
		return g.pick("$sum", "$count", "$max", "$min", "$average", "$string", "$number", "$boolean", "$not", "$keys", "$spread", "$merge", "$reverse", "$distinct", "$exists", "$type", "$length",
			"$uppercase", "$trim", "$abs", "$floor", "$sqrt", "$base64encode", "$encodeUrlComponent", "$clone") + "(" + g.pick(x(), x(), x(), "") + ")"
	}
}

// path makes a path with what can qualify its steps.
func (g grammar) path(depth int) string {
	var b strings.Builder
	b.WriteString(g.pick("a", "b", "c", "$", "$$", "*", "**", "[a, b]", "(a)", "$v"))
	steps := 1 + g.IntN(3)
	for i := range steps {
		if i > 0 {
			b.WriteString("." + g.pick("a", "b", "c", "n", "t", "*", "$", "{\"k\": n}", "[n, t]", "(n)", "$string()", "%", "%.n", "(b; n)", "$sum(n)"))
		}
		switch g.IntN(9) {
		case 0:
			b.WriteString("[" + g.expr(g.IntN(depth)) + "]")
		case 1:
			b.WriteString("[]")
		case 2:
			b.WriteString("^(" + g.pick("n", ">n", "t, n", "$") + ")")
		case 3:
			b.WriteString("@$v")
		case 4:
			b.WriteString("#$w")
		case 5:
			if i == steps-1 {
				b.WriteString("{" + g.pick("t", "$string(n)", `"k"`) + ": " + g.expr(g.IntN(depth)) + "}")
			}
		}
	}
	return b.String()
}

// TestDifferential compares random expressions over random values with jsonata on Node.
// PATCHBAY_FUZZ_JSONATA says for how long; without it, there are 1,500 of them.
func TestDifferential(t *testing.T) {
	r := newReference(t)
	n, seed := 1500, uint64(1)
	end := time.Time{}
	if text := os.Getenv("PATCHBAY_FUZZ_JSONATA"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		end, seed = time.Now().Add(d), uint64(time.Now().UnixNano())
		t.Log("seed", seed)
	}
	g := grammar{rand.New(rand.NewPCG(seed, 0))}
	done, found := 0, 0
	for ; found < 20 && (done < n || time.Now().Before(end)); done++ {
		input, source := g.value(4), g.expr(1+g.IntN(4))
		a := ours(t, source, input)
		if a.limited() {
			continue // jsonata on Node may not end
		}
		b := r.eval(t, source, input)
		if d := differs(source, a, b); d != "" {
			found++
			t.Errorf("%s\n\tover %s\n\t%s", source, input, d)
		}
	}
	t.Logf("%d expressions", done)
}
