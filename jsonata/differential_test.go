package jsonata

import (
	"bufio"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// A reference is jsonata on Node in a child process, which is replaced if it ends.
type reference struct {
	command func() *exec.Cmd
	in      *json.Encoder
	lines   chan []byte
	end     func()
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
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not installed:", err)
	}
	replacements, err := json.Marshal(mends)
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{command: func() *exec.Cmd {
		return exec.CommandContext(t.Context(), "node", "--max-old-space-size=1024", "-e", referenceScript, module, string(replacements))
	}}
	r.start(t)
	t.Cleanup(func() { r.end() })
	return r
}

func (r *reference) start(t *testing.T) {
	t.Helper()
	node := r.command()
	in, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 64<<20)
		for scanner.Scan() {
			lines <- slices.Clone(scanner.Bytes())
		}
	}()
	r.in, r.lines = json.NewEncoder(in), lines
	r.end = func() {
		_ = in.Close()
		_ = node.Process.Kill()
		for range lines {
			continue // until the pipe is closed
		}
		_ = node.Wait()
	}
}

// eval evaluates with the reference, as it is or with some of [mends]. The error is "endless" where that takes 20 seconds, or
// a GiB. The child may still be busy with what failed before in one part and does not end in another, so
// what seems endless is tried again in a new one.
func (r *reference) eval(t *testing.T, source, input string, mended ...string) outcome {
	t.Helper()
	if o, ok := r.ask(t, source, input, mended); ok {
		return o
	}
	if o, ok := r.ask(t, source, input, mended); ok {
		return o
	}
	return outcome{Error: "endless"}
}

// ask evaluates in the child. Where that does not end, there is a new child and ok is false.
func (r *reference) ask(t *testing.T, source, input string, mended []string) (o outcome, ok bool) {
	t.Helper()
	if err := r.in.Encode(map[string]any{"source": source, "input": json.RawMessage(input), "mended": mended}); err != nil {
		t.Fatal(err)
	}
	select {
	case line, ok := <-r.lines:
		if ok {
			if err := json.Unmarshal(line, &o); err != nil {
				t.Fatal(err)
			}
			return o, true
		}
	case <-time.After(testenv.Limit(20 * time.Second)):
	}
	r.end()
	r.start(t)
	return outcome{}, false
}

// ours evaluates with this package.
func ours(t *testing.T, source, input string) (o outcome) {
	t.Helper()
	x, err := Compile(source)
	if err != nil {
		return outcome{Error: codeOf(err), Message: err.Error()}
	}
	e := Evaluator{Limits: Limits{Timeout: time.Minute, MaxSteps: 50_000, MaxCalls: 100}}
	e.Begin(t.Context())
	defer e.End()
	in := mustDecode(t, []byte(input))
	write := func(v Value) Value {
		if o.Result = "undefined"; v != nil {
			o.Result = written(v, 0)
		}
		return v
	}
	func() {
		defer e.rescue(x, &err)
		write(e.evaluate(x, in))
	}()
	if err != nil {
		return outcome{Error: codeOf(err), Message: err.Error()}
	}
	return o
}

// written is a value as the script writes it: what is not JSON is a string that begins with
// NUL.
func written(v any, depth int) string {
	if depth > maxValueDepth {
		panic(tooDeep())
	}
	switch w := v.(type) {
	case []any:
		items := make([]string, len(w))
		for i, item := range w {
			items[i] = written(item, depth+1)
		}
		return "[" + strings.Join(items, ",") + "]"
	case *Object:
		var members []string
		for i, key := range w.keys {
			if w.vals[i] != nil {
				members = append(members, string(appendString(nil, key))+":"+written(w.vals[i], depth+1))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case float64:
		if w-w != 0 {
			return `"\u0000` + notFiniteText(w) + `"`
		}
	case *Function:
		return `"\u0000function"`
	}
	b, err := Encode(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// limited reports whether an evaluation was ended by a limit.
func (o outcome) limited() bool {
	return strings.HasPrefix(o.Error, "too-") || o.Error == "U1001" || o.Error == "timeout"
}

// TestDifferential compares random expressions over random values with jsonata on Node.
// PATCHBAY_FUZZ_JSONATA says for how long, or how many; without it, there are 1,500.
// PATCHBAY_FUZZ_SEED repeats a comparison.
func TestDifferential(t *testing.T) {
	r := newReference(t)
	n, seed, end := 1500, uint64(1), time.Time{}
	if text := os.Getenv("PATCHBAY_FUZZ_JSONATA"); text != "" {
		seed = uint64(time.Now().UnixNano())
		if d, err := time.ParseDuration(text); err == nil {
			n, end = 0, time.Now().Add(d)
		} else if n, err = strconv.Atoi(text); err != nil {
			t.Fatal("PATCHBAY_FUZZ_JSONATA is neither a duration nor a number")
		}
	}
	if text := os.Getenv("PATCHBAY_FUZZ_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	g := grammar{rand.New(rand.NewPCG(seed, 0))}
	classes := map[string]int{}
	done, limited, values, found := 0, 0, 0, 0
	for ; found < 20 && (done < n || time.Now().Before(end)); done++ {
		input, source := g.value(4), g.expr(1+g.IntN(4))
		a := ours(t, source, input)
		if a.limited() {
			limited++
			continue // jsonata on Node may not end
		}
		if a.Error == "" && a.Result != "undefined" {
			values++
		}
		c := comparison{t: t, reference: r, source: source, input: input, ours: a}
		if d := c.difference(); d != "" {
			found++
			t.Errorf("%s\n\tover %s\n\t%s", source, input, d)
		}
		if c.class != "" {
			classes[c.class]++
		}
	}
	t.Logf("seed %d: %d expressions, %d of them with a value, %d beyond limits of depth or time", seed, done, values, limited)
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%6d %s", classes[class], class)
	}
}
