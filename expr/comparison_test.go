package expr

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blues/jsonata-go"
	"github.com/google/go-cmp/cmp"
	"github.com/recolabs/gnata"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

const (
	comparisonDoc   = "../docs/measured/expressions.md"
	comparisonBegin = "<!-- comparison: written by go test ./expr -run TestComparison -update -->\n"
	comparisonEnd   = "<!-- end of comparison -->\n"
)

// An engine answers the cases of the suite.
type suiteEngine struct {
	name    string
	answers map[string]answer
}

// TestComparison evaluates the official suite with this package and with gnata as
// it comes, and keeps the tables of docs/measured/expressions.md true; -update evaluates it
// with blues/jsonata-go as well.
func TestComparison(t *testing.T) {
	cases := conformance.Cases(t)
	if testing.Short() || raceEnabled {
		t.Skip("takes 5 s, and the race detector would turn slow cases into hanging ones")
	}
	engines := []suiteEngine{{"Patchbay", map[string]answer{}}, {"gnata v0.2.2", map[string]answer{}}, {"blues/jsonata-go v1.5.4", nil}}
	for _, c := range cases {
		engines[0].answers[c.ID] = ask(t, c)
		engines[1].answers[c.ID] = askGnata(t, c)
	}
	if golden.Updating() {
		engines[2].answers = askBlues(t, cases)
	} else {
		engines = engines[:2]
	}
	table := compare(cases, engines)

	doc, err := os.ReadFile(comparisonDoc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), comparisonBegin)
	old, after, ok2 := strings.Cut(rest, comparisonEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the comparison", comparisonDoc)
	}
	if !golden.Updating() {
		if diff := cmp.Diff(steady(old), steady(table)); diff != "" {
			t.Errorf("the table of %s is out of date: run go test ./expr -run TestComparison -update (-want +got)\n%s", comparisonDoc, diff)
		}
		return
	}
	if err := os.WriteFile(comparisonDoc, []byte(before+comparisonBegin+table+comparisonEnd+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// steady is a table without blues: how many of its cases hang depends on how busy
// the machine is.
func steady(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| blues") {
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// compare writes the table.
func compare(cases []conformance.Case, engines []suiteEngine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n| official suite, %d cases | pass | another value | an error instead of a value | a value instead of an error | crash or hang |\n|---|--:|--:|--:|--:|--:|\n", len(cases))
	failed := map[string][]int{}
	total := map[string]int{}
	for i, e := range engines {
		var pass, value, fault, lax, dead int
		for _, c := range cases {
			a := e.answers[c.ID]
			if i == 0 {
				total[c.Group]++
			}
			if failed[c.Group] == nil {
				failed[c.Group] = make([]int, len(engines))
			}
			if differs(c, a) == "" {
				pass++
				continue
			}
			failed[c.Group][i]++
			switch {
			case a.Kind == "dead":
				dead++
			case a.Kind == "error":
				fault++
			case c.Kind == "error":
				lax++
			default:
				value++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", e.name, pass, value, fault, lax, dead)
	}
	shown := engines[:2]
	b.WriteString("\nCases that do not pass, by group of the suite:\n\n| group | cases |")
	for _, e := range shown {
		fmt.Fprintf(&b, " %s |", e.name)
	}
	b.WriteString("\n|---|--:|" + strings.Repeat("--:|", len(shown)) + "\n")
	for _, g := range slices.Sorted(maps.Keys(failed)) {
		if slices.Max(failed[g][:len(shown)]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d |", g, total[g])
		for _, n := range failed[g][:len(shown)] {
			fmt.Fprintf(&b, " %d |", n)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// askGnata evaluates a case with gnata alone.
func askGnata(t testing.TB, c conformance.Case) answer {
	t.Helper()
	x, err := gnata.Compile(c.Expr)
	if err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	its := func(b []byte) any { // its own values
		v, err := gnata.DecodeJSON(b)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var data any
	if c.HasData {
		data = its(c.Data)
	}
	vars := map[string]any{}
	var bindings map[string]json.RawMessage
	if err := json.Unmarshal(c.Bindings, &bindings); err != nil {
		t.Fatal(err)
	}
	for name, b := range bindings {
		vars[name] = its(b)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Limit(time.Minute))
	defer cancel()
	v, err := x.EvalWithVars(ctx, data, vars)
	if err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	return plainAnswer(v)
}

func plainAnswer(v any) answer {
	if v == nil {
		return answer{Kind: "undef"}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	return answer{Kind: "result", Result: string(b)}
}

// askBlues evaluates the cases with blues/jsonata-go, in child processes:
// recursion without end kills the one that meets it, and the next continues after
// that case.
func askBlues(t *testing.T, cases []conformance.Case) map[string]answer {
	answers := map[string]answer{}
	for from := 0; from < len(cases); {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBluesChild$", "-test.v")
		c.Env = append(os.Environ(), "PATCHBAY_BLUES_FROM="+strconv.Itoa(from))
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			text, ok := strings.CutPrefix(lines.Text(), "ANSWER ")
			if !ok {
				continue
			}
			var a answer
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				t.Fatal(err)
			}
			answers[cases[from].ID] = a
			from++
		}
		if err := c.Wait(); err != nil && from < len(cases) {
			id := cases[from].ID
			if !slices.Contains(bluesDies, id) {
				t.Errorf("blues/jsonata-go died at %s, at which it is not known to: %v", id, err)
			}
			answers[id] = answer{Kind: "dead", Error: err.Error()}
			from++
		}
	}
	return answers
}

// bluesHangs are cases in which blues/jsonata-go loops without end. They are not
// run, as any time given to them is too short for a loaded machine or too long.
var bluesHangs = map[string]bool{
	"function-formatNumber/issue785#0": true,
	"function-formatNumber/issue785#1": true,
	"function-formatNumber/issue785#3": true,
}

// bluesDies are cases of recursion without end, which kill the process.
var bluesDies = []string{"tail-recursion/case005", "tail-recursion/case006"}

// bluesMutex: its built-ins keep the context of a call in globals.
var bluesMutex sync.Mutex

// TestBluesChild is the child of TestComparison.
func TestBluesChild(t *testing.T) {
	from, err := strconv.Atoi(os.Getenv("PATCHBAY_BLUES_FROM"))
	if err != nil {
		t.Skip("runs as a child of TestComparison")
	}
	debug.SetMaxStack(64 << 20) // endless recursion shall die soon
	for _, c := range conformance.Cases(t)[from:] {
		answered := make(chan answer, 1)
		go func() { answered <- bluesAnswer(c) }()
		var a answer
		select {
		case a = <-answered:
		case <-time.After(5 * time.Minute):
			os.Exit(3) // the parent counts it as dead
		}
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\nANSWER %s\n", b)
	}
}

func bluesAnswer(c conformance.Case) (a answer) {
	if bluesHangs[c.ID] {
		return answer{Kind: "dead"}
	}
	bluesMutex.Lock()
	defer bluesMutex.Unlock()
	defer func() {
		if p := recover(); p != nil {
			a = answer{Kind: "dead", Error: fmt.Sprint(p)}
		}
	}()
	x, err := jsonata.Compile(c.Expr)
	if err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	var data any
	if c.HasData {
		if err := json.Unmarshal(c.Data, &data); err != nil {
			return answer{Kind: "error", Error: err.Error()}
		}
	}
	var vars map[string]any
	if err := json.Unmarshal(c.Bindings, &vars); err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	if len(vars) > 0 {
		if err := x.RegisterVars(vars); err != nil {
			return answer{Kind: "error", Error: err.Error()}
		}
	}
	v, err := x.Eval(data)
	if errors.Is(err, jsonata.ErrUndefined) {
		return answer{Kind: "undef"}
	}
	if err != nil {
		return answer{Kind: "error", Error: err.Error()}
	}
	if v == nil {
		return answer{Kind: "result", Result: "null"}
	}
	return plainAnswer(v)
}
