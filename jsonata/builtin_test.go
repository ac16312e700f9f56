package jsonata

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every function has a row with all columns, and they agree with each other.
func TestFunctionRows(t *testing.T) {
	choice := regexp.MustCompile(`\([a-z]+\)`)
	for _, b := range Builtins() {
		if b.Name == "" || b.Signature == "" || b.Doc == "" || b.Area == "" || b.Result == 0 || b.Cost == 0 || b.call == nil || LookupBuiltin(b.Name) != b {
			t.Errorf("$%s: its row has an empty column: %+v", b.Name, b)
		}
		var args []string
		if b.Args != "" {
			args = strings.Split(b.Args, ", ")
		}
		if len(args) != len(b.Params()) {
			t.Errorf("$%s(%s) has the signature %s", b.Name, b.Args, b.Signature)
			continue
		}
		for i, p := range b.Params() {
			if strings.HasSuffix(args[i], "?") != (p.Optional && !p.Context) {
				t.Errorf("$%s: argument %s against the signature %s", b.Name, args[i], b.Signature)
			}
		}
		takes, _, _ := strings.Cut(choice.ReplaceAllString(b.Signature, ""), ":")
		if strings.Contains(takes, "f") != (b.Callback != CallbackNone) {
			t.Errorf("$%s takes a function, or calls one: %s, %d", b.Name, b.Signature, b.Callback)
		}
		numbers := []Result{ResultNumber, ResultInteger, ResultNumberOrNothing, ResultSameNumber, ResultRounded, ResultConverted, ResultSum, ResultExtreme}
		lists := []Result{ResultStrings, ResultKeys, ResultSplit, ResultList, ResultItems, ResultAppended, ResultOutputs}
		may := map[string][]Result{"s": {ResultString}, "n": numbers, "b": {ResultBoolean}, "a": lists, "a<s>": lists, "a<o>": lists, "o": {ResultMerged, ResultAnything}}[b.returns()]
		if may != nil && !slices.Contains(may, b.Result) {
			t.Errorf("$%s: its result %d against the signature %s", b.Name, b.Result, b.Signature)
		}
	}
}

// A name that authors take for that of a history function leads to it, and another name
// to the nearest.
func TestHintsForUnknownFunctions(t *testing.T) {
	for src, want := range map[string]string{
		`$history("a")`: "$nodeExecutions(id)", `$Executions("a")`: "$nodeExecutions(id)", `$steps()`: "$nodeExecutions(id)",
		`$runs("a")`: "$executionCount(id)", `$previous()`: "$previousNode(n?)", `$upercase("a")`: "did you mean $uppercase?",
	} {
		x, err := Compile(src)
		if err != nil {
			t.Fatal(src, err)
		}
		_, err = x.Eval(t.Context(), nil)
		if fault, ok := err.(*Error); !ok || fault.Code != "T1006" || !strings.Contains(fault.Hint, want) { //nolint:errorlint // Eval returns nothing else
			t.Errorf("%s: %v, want the hint %s", src, err, want)
		}
	}
}

// sampleArgs are first arguments of functions, a small one and a large one; the others
// follow from the signature.
func sampleArgs(b *Builtin) (small, large string, more []string) {
	of := map[byte][2]string{
		's': {`"abcd"`, `$pad("", 40000, "abcd")`}, 'n': {"12", "12000"}, 'a': {"[1, 2]", "[1..4000]"},
		'o': {`{"a": 1}`, `$merge([1..400].{"k" & $: $})`}, 'x': {"[1, 2]", "[1..4000]"}, 'b': {"true", "true"}, 'f': {"function($v) { $v }", ""},
	}
	if b.Name == "now" || len(b.Params()) == 0 {
		return "", "", nil
	}
	letter := strings.Trim(b.Signature, "<(")[0]
	small, large = of[letter][0], of[letter][1]
	switch b.Name {
	case "join":
		small, large = `["a"]`, `[1..4000].$string()`
	case "merge", "lookup":
		small, large = `[{"a": 1}]`, `[1..400].{"k" & $: $}`
	case "number":
		small, large = `"12"`, `"1." & $pad("", 4000, "12")`
	case "parseJson":
		large = `"[" & $join([1..400].$string(), ",") & "]"`
		small = `"[1]"`
	case "parseCsv", "lines":
		large = `$join([1..400].$string(), "\n")`
	case "eval":
		small, large = `"1"`, `$join([1..400].$string(), "+")`
	case "pad":
		return `"abcd"`, `$pad("", 40000, "abcd")`, []string{"$length($first) * 2"}
	case "base64decode":
		small, large = `"YWJj"`, `$pad("", 40000, "YWJj")`
	case "parseInteger":
		small, large = `"12"`, `"12"`
	case "toMillis":
		small, large = `"2026-01-01T00:00:00Z"`, `"2026-01-01T00:00:00Z"`
	case "single":
		small, large = "[1]", "$map([1..4000], function($v) { $v })"
	case ViaExecutionCount, ViaNodeExecution, ViaNodeExecutions:
		small, large = `"a"`, `"a"`
	}
	for i, p := range b.Params()[1:] {
		switch {
		case b.Name == "single":
			more = append(more, "function($v) { $v = 1 }")
		case b.Name == "reduce" && i == 0:
			more = append(more, "function($a, $v) { $v }")
		case b.Name == "formatInteger" || b.Name == "formatNumber" && i == 0 || b.Name == "parseInteger":
			more = append(more, `"0"`)
		case p.Optional && !p.Context:
			return small, large, more
		case p.Kinds&typeString != 0:
			more = append(more, `"z"`)
		case p.Kinds&typeNumber != 0:
			more = append(more, "1")
		case p.Kinds&typeFunction != 0 && p.Kinds&typeArray == 0:
			more = append(more, of['f'][0])
		default:
			more = append(more, "[1]")
		}
	}
	return small, large, more
}

// stepsOf is how many steps a function takes on the value of an expression, and what it
// returns.
func stepsOf(t *testing.T, b *Builtin, first string, more []string, clock time.Time, seed uint64) (int, string) {
	t.Helper()
	args := more
	var vars map[string]Value
	if first != "" {
		x, err := Compile(first)
		if err != nil {
			t.Fatal(first, err)
		}
		v, err := x.Eval(t.Context(), NewObject())
		if err != nil {
			t.Fatal(first, err)
		}
		vars = map[string]Value{"first": v}
		args = append([]string{"$first"}, more...)
	}
	x, err := Compile("$" + b.Name + "(" + strings.Join(args, ", ") + ")")
	if err != nil {
		t.Fatal(b.Name, err)
	}
	e := Evaluator{Vars: vars, Now: func() time.Time { return clock }, Random: func() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }}
	e.Begin(t.Context())
	defer e.End()
	v, err := e.Run(x, NewObject())
	if err != nil && b.Name != "error" && b.Name != "previousNode" {
		t.Errorf("$%s: %v", b.Name, err)
	}
	out, _ := Encode(v)
	return e.used - e.fuel, string(out)
}

// A function counts the steps that its row says: always as many, or more for more. It
// varies if its row says so.
func TestFunctionsCostAndVary(t *testing.T) {
	clocks := [2]time.Time{time.UnixMilli(1e12), time.UnixMilli(1e12 + 5)}
	for _, b := range Builtins() {
		small, large, more := sampleArgs(b)
		few, before := stepsOf(t, b, small, more, clocks[0], 1)
		many, _ := stepsOf(t, b, large, more, clocks[0], 1)
		if grows := b.Cost != CostCall && small != large && large != "12000"; grows != (many > few) {
			t.Errorf("$%s: %d and %d steps, and its cost is %s", b.Name, few, many, b.Cost)
		}
		if b.Name == "shuffle" { // two items may stay in order
			small = "[1..30]"
			_, before = stepsOf(t, b, small, more, clocks[0], 1)
		}
		if _, after := stepsOf(t, b, small, more, clocks[1], 2); (after != before) != b.Varies {
			t.Errorf("$%s gives %s and %s, and varies: %v", b.Name, before, after, b.Varies)
		}
	}
}
