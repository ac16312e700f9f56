package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

const (
	faults = "../testdata/err"
	sound  = "../testdata/graphs"
)

// fixture is a text to check. Its first line may say how: "# check: trusted" for
// a file of the operator's, "tool=name" for one tool of several, "to-run" for a graph
// that is to be run or saved.
type fixture struct {
	name, src string
	tool      string
	trusted   bool
	toRun     bool
}

func readFixture(t testing.TB, file string) fixture {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{name: filepath.Base(file), src: string(b)}
	first, _, _ := strings.Cut(f.src, "\n")
	if how, ok := strings.CutPrefix(first, "# check:"); ok {
		for word := range strings.FieldsSeq(how) {
			if name, is := strings.CutPrefix(word, "tool="); is {
				f.tool = name
			}
			f.trusted = f.trusted || word == "trusted"
			f.toRun = f.toRun || word == "to-run"
		}
	}
	return f
}

// check parses and compiles src as f says, like the verbs do.
func (f fixture) check(src string) (*engine.Plan, diag.List) {
	doc, l := graph.Parse(f.name, src)
	if doc == nil {
		return nil, l
	}
	plan, more := engine.Compile(doc, f.tool, engine.Env{Tools: offered, Packs: described{}, Graphs: library{"count_files": nil}, HTTP: offeredWeb{}, Models: func() []string { return []string{"fast", "good"} }, Hooks: offeredHooks{}, Untrusted: !f.trusted})
	if l.HasErrors() {
		plan = nil
	}
	if plan != nil && f.toRun {
		more = append(more, plan.Unfilled()...)
	}
	return plan, append(l, more...).Sort()
}

// fixtures are the files of testdata/err and those too large to keep there.
func fixtures(t testing.TB) []fixture {
	t.Helper()
	files, err := filepath.Glob(faults + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures in %s: %v", faults, err)
	}
	more, err := filepath.Glob(faults + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []fixture
	for _, file := range append(files, more...) {
		all = append(all, readFixture(t, file))
	}
	return append(all,
		fixture{name: "document-too-large", src: "nodes: [] # " + strings.Repeat("x", graph.MaxBytes)},
		fixture{name: "document-too-deep", src: strings.Repeat("[", graph.MaxDepth+1) + strings.Repeat("]", graph.MaxDepth+1)},
		fixture{name: "too-many-nodes", src: "nodes: [" + strings.Repeat("{id: a}, ", engine.MaxNodes+1) + "]"},
	)
}

// crowded are fixtures with more faults than are made into diagnostics: their fixes
// are not tried, one after the other.
func crowded() []fixture {
	return []fixture{
		{name: "more-errors", src: "nodes: [{id: entry, type: entry, next: s}, {id: s, type: switch, next: exit, conditions: [" + strings.Repeat("{rule: {var: $.gone}, next: exit}, ", 2500) + "]}, {id: exit, type: exit}]"},
		{name: "more-warnings", src: "nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit, " + strings.Join(strangeKeys(2500), ", ") + "}]"},
	}
}

func strangeKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("strange_%d: 1", i)
	}
	return keys
}

// allTypes is the list of all node types in a hint: a new one changes no golden.
var allTypes = regexp.MustCompile(`the types are ask, entry[a-z, ]*[a-z]`)

func TestFaultFixtures(t *testing.T) {
	reached, severities := map[string]bool{}, map[string]diag.Severity{}
	for _, r := range diag.Rules() {
		severities[r.Code] = r.Severity
	}
	for _, f := range append(fixtures(t), crowded()...) {
		_, l := f.check(f.src)
		for _, d := range l {
			reached[d.Code] = true
			if severity := severities[d.Code]; d.Severity != severity {
				t.Errorf("%s: %s is reported as %s, and defined as %s: two severities are two rules", f.name, d.Code, d.Severity, severity)
			}
		}
		got := diag.Format(f.name, f.src, l)
		if !strings.Contains(f.name, ".") { // too large to show
			got = diag.Format(f.name, "", l[max(0, len(l)-3):])
		}
		golden.Check(t, filepath.Join(faults, f.name+".out"), allTypes.ReplaceAllString(got, "the types are entry, exit, mcp, …"))
		if code, _, _ := strings.Cut(f.name, "."); !slices.ContainsFunc(l, func(d *diag.Diagnostic) bool { return d.Code == code || strings.HasPrefix(code, d.Code+"-") }) {
			t.Errorf("%s: there is no %s in it:\n%s", f.name, code, got)
		}
	}
	for _, r := range diag.Rules() {
		if !reached[r.Code] {
			t.Errorf("no file of %s triggers %s", faults, r.Code)
		}
	}
}

// TestFixedFixtures holds what the fixtures are after all first fixes, applied until
// nothing changes.
func TestFixedFixtures(t *testing.T) {
	for _, f := range fixtures(t) {
		if !strings.Contains(f.name, ".") {
			continue
		}
		fixed := f.src
		for range 10 {
			_, l := f.check(fixed)
			after, applied := diag.Apply(fixed, l)
			if applied == 0 || after == fixed {
				break
			}
			fixed = after
		}
		file := filepath.Join(faults, f.name+".fixed")
		if fixed == f.src {
			if _, err := os.Stat(file); err == nil {
				t.Errorf("%s: nothing is fixed, but there is %s", f.name, file)
			}
			continue
		}
		golden.Check(t, file, fixed)
	}
}

// TestFirstFixes applies the first fix of every diagnostic, again and again: each
// round leaves fewer faults, down to none or to what only the author can mend.
func TestFirstFixes(t *testing.T) {
	for _, f := range fixtures(t) {
		src := f.src
		_, l := f.check(src)
		for round := 0; ; round++ {
			after, applied := diag.Apply(src, l)
			if applied == 0 || after == src {
				break
			}
			if round == 10 {
				t.Errorf("%s: fixes come to no end:\n%s", f.name, diag.Format(f.name, src, l))
				break
			}
			_, left := f.check(after)
			if worse := severity(left) >= severity(l); worse {
				t.Errorf("%s: after the fixes of round %d there are no fewer faults:\n%s\n%s\n%s", f.name, round+1, diag.Format(f.name, src, l), after, diag.Format(f.name, after, left))
				break
			}
			src, l = after, left
		}
	}
}

// severity weighs a list: what cannot be read hides everything behind it.
func severity(l diag.List) int {
	weight := 0
	for _, d := range l {
		switch {
		case d.Code == "syntax":
			weight += 1000
		case d.Code == "wrapped-graph" || d.Code == "edge-list":
			weight += 100
		case d.Severity == diag.Error:
			weight += 10
		default:
			weight++
		}
	}
	return weight
}

// TestEveryFix applies every fix that is offered, alternatives too, alone: its
// diagnostic is gone, and its edits and its patch come to the same data.
func TestEveryFix(t *testing.T) {
	count := 0
	for _, f := range fixtures(t) {
		_, l := f.check(f.src)
		for i, d := range l {
			for _, fix := range d.Fixes {
				count++
				checkFix(t, f, l, i, fix)
			}
		}
	}
	t.Logf("%d fixes", count)
}

func checkFix(t testing.TB, f fixture, l diag.List, i int, fix diag.Fix) {
	t.Helper()
	if fix.Title == "" || len(fix.Edits) == 0 {
		t.Errorf("%s: a fix of %s has the title %q and %d edits", f.name, l[i].Code, fix.Title, len(fix.Edits))
		return
	}
	after := diag.ApplyEdits(f.src, fix.Edits)
	_, left := f.check(after)
	if same := func(list diag.List) int {
		n := 0
		for _, d := range list {
			if d.Code == l[i].Code && d.Message == l[i].Message && d.Node == l[i].Node {
				n++
			}
		}
		return n
	}; same(left) >= same(l) {
		t.Errorf("%s: the fix %q leaves [%s] %s:\n%s\n%s", f.name, fix.Title, l[i].Code, l[i].Message, after, diag.Format(f.name, after, left))
	}
	before, _ := graph.Parse(f.name, f.src)
	if before == nil || len(fix.Patch) == 0 {
		if before != nil {
			t.Errorf("%s: the fix %q of %s has no patch", f.name, fix.Title, l[i].Code)
		}
		return
	}
	patched, err := testenv.Patch(before.Root.JSON(), fix.Patch)
	if err != nil {
		t.Errorf("%s: the patch of %q: %v", f.name, fix.Title, err)
		return
	}
	edited, more := graph.Parse(f.name, after)
	if edited == nil {
		t.Errorf("%s: the edits of %q leave what cannot be read:\n%s\n%s", f.name, fix.Title, after, diag.Format(f.name, after, more))
		return
	}
	if got, want := sorted(t, edited.Root.JSON()), sorted(t, patched); !bytes.Equal(got, want) {
		t.Errorf("%s: edits and patch of %q differ:\nedits %s\npatch %s", f.name, fix.Title, got, want)
	}
}

// sorted is JSON with the keys of its maps in order.
func sorted(t testing.TB, b []byte) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSoundGraphs checks that the graphs of testdata/graphs are valid, with no
// more than notes: documents as mcpGraph's users have them, in both dialects.
func TestSoundGraphs(t *testing.T) {
	files, err := filepath.Glob(sound + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no graphs in %s: %v", sound, err)
	}
	for _, file := range files {
		f := readFixture(t, file)
		plan, l := f.check(f.src)
		if plan == nil || len(l.With(diag.Warning)) > 0 {
			t.Errorf("%s:\n%s", f.name, diag.Format(f.name, f.src, l))
			continue
		}
		canonical, flow := f.src, plan.Flow()
		for range 3 {
			canonical, _ = diag.Apply(canonical, l)
			if plan, l = f.check(canonical); plan == nil {
				t.Fatalf("%s: not valid in canonical form:\n%s\n%s", f.name, canonical, diag.Format(f.name, canonical, l))
			}
		}
		if plan.Flow() != flow {
			t.Errorf("%s: the canonical form flows\n%s\nbut was\n%s", f.name, plan.Flow(), flow)
		}
		if rest := slices.DeleteFunc(l, func(d *diag.Diagnostic) bool {
			return d.Code == "tolerated-key" || d.Code == "server-environment" // the author decides
		}); len(rest) > 0 {
			t.Errorf("%s: the canonical form still has\n%s", f.name, diag.Format(f.name, canonical, rest))
		}
		golden.Check(t, strings.TrimSuffix(file, ".yaml")+".canonical", canonical)
	}
}
