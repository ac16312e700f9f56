package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// whole is a graph with a node of every kind and every field of the format.
const whole = `
version: "1.0"
server: {name: s, version: 1.0.0, title: t, instructions: i}
executionLimits: {maxNodeExecutions: 10, maxExecutionTimeMs: 1000}
tools:
  - name: whole
    title: Whole
    description: d
    expose: true
    inputSchema: {type: object, properties: {path: {type: string, enum: [a, b]}, n: {type: integer, default: 1}}, required: [path]}
    outputSchema: {type: object, properties: {a: {type: array, items: {type: string}}}}
    nodes:
      - {id: entry, type: entry, next: list}
      - {id: list, type: mcp, server: files, tool: list, args: {path: {expr: $.entry.path}, depth: 1, names: [a, {expr: $.entry.path}]}, next: choose}
      - {id: choose, type: switch, conditions: [{rule: {and: [{">": [{var: $.entry.n}, 1]}, {some: [{var: $.list.files}, {"==": [{var: name}, a]}]}]}, next: shape}], next: exit}
      - {id: shape, type: transform, transform: {expr: '{"a": [$.list.files.name]}'}, next: exit}
      - {id: exit, type: exit, result: {expr: $previousNode()}}
`

// others are one value of every type, and some that look like one of another.
var others = []any{
	nil, true, 0, -1.5, "", "a", "5", "null", "{{ list.files }}", "$.list", "{",
	[]any{},
	[]any{"a"},
	[]any{[]any{}, map[string]any{}},
	map[string]any{},
	map[string]any{"expr": "$.list"},
	map[string]any{"expr": 1, "a": 2},
	map[string]any{"a": nil},
	map[string]any{"id": "a", "type": "exit"},
	strings.Repeat("x", 300),
}

// TestEveryValueOfEveryType puts a value of every type in the place of every value
// of a good graph, and removes it: there is a verdict, every fault says something,
// and every fix of it can be made.
func TestEveryValueOfEveryType(t *testing.T) {
	doc, l := graph.Parse("whole", whole)
	if l.HasErrors() {
		t.Fatal(diag.Format("whole", whole, l))
	}
	if _, l := (fixture{name: "whole"}).check(whole); l.HasErrors() {
		t.Fatal(diag.Format("whole", whole, l))
	}
	count := 0
	values := others
	if testing.Short() {
		values = others[:4]
	}
	var walk func(v graph.Value)
	walk = func(v graph.Value) {
		for _, other := range values {
			if fix := v.Replace("", other); len(fix.Edits) > 0 {
				count++
				verdict(t, diag.ApplyEdits(whole, fix.Edits))
			}
		}
		if fix := v.Remove(""); len(fix.Edits) > 0 {
			count++
			verdict(t, diag.ApplyEdits(whole, fix.Edits))
		}
		for _, item := range v.Items() {
			walk(item)
		}
		for _, key := range v.Keys() {
			if fix := v.RenameKey("", key, key+"x"); len(fix.Edits) > 0 {
				count++
				verdict(t, diag.ApplyEdits(whole, fix.Edits))
			}
			walk(v.Get(key))
		}
	}
	walk(doc.Root)
	t.Logf("%d graphs", count)
}

// verdict checks a text as one an agent sends, and applies its fixes to an end.
func verdict(t testing.TB, src string) {
	t.Helper()
	f := fixture{name: "graph"}
	for range 12 {
		plan, l := f.check(src)
		if (plan == nil) != l.HasErrors() {
			t.Fatalf("plan %v with\n%s\nof\n%s", plan, diag.Format("graph", src, l), src)
		}
		for _, d := range l {
			sane(t, src, d)
		}
		if len(l) > 0 && diag.Format("graph", src, l) == "" {
			t.Fatalf("nothing is shown of %d diagnostics of\n%s", len(l), src)
		}
		after, applied := diag.Apply(src, l)
		if applied == 0 || after == src {
			return
		}
		if next, l := graph.Parse("graph", after); next == nil {
			if before, _ := graph.Parse("graph", src); before != nil {
				t.Fatalf("the fixes leave what cannot be read:\n%s\n%s\n%s", src, after, diag.Format("graph", after, l))
			}
		}
		src = after
	}
	_, l := f.check(src)
	t.Fatalf("fixes come to no end:\n%s\n%s", src, diag.Format("graph", src, l))
}

// sane reports what no diagnostic may be: without words, or about a place that is
// not in the text.
func sane(t testing.TB, src string, d *diag.Diagnostic) {
	t.Helper()
	if d.Message == "" || strings.HasSuffix(d.Message, ".") || strings.ContainsAny(d.Message, "\n") || len(d.Message) > 1000 {
		t.Fatalf("the message of %s is %q", d.Code, d.Message)
	}
	if r := d.Range; r.Start.Offset < 0 || r.End.Offset < r.Start.Offset || r.End.Offset > len(src) {
		t.Fatalf("%s is at %v of %d bytes", d.Code, r, len(src))
	}
	if _, err := json.Marshal(d); err != nil {
		t.Fatalf("%s: %v", d.Code, err)
	}
	for _, fix := range d.Fixes {
		if fix.Title == "" || len(fix.Edits) == 0 && len(fix.Patch) == 0 {
			t.Fatalf("an empty fix %q of %s (%s) in\n%s", fix.Title, d.Code, d.Message, src)
		}
		for _, e := range fix.Edits {
			if e.Start < 0 || e.End < e.Start || e.End > len(src) {
				t.Fatalf("%s: the fix %q edits [%d, %d) of %d bytes", d.Code, fix.Title, e.Start, e.End, len(src))
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(whole)
	for _, pattern := range []string{faults + "/*.yaml", faults + "/*.json", sound + "/*.yaml", "../testdata/slips/*.yaml", "../testdata/slips/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			f.Add(readFixture(f, file).src)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<13 {
			return
		}
		verdict(t, src)
	})
}

// TestLargeGraphs checks that what is refused for its size is refused by name, and
// that nothing takes long to say so.
func TestLargeGraphs(t *testing.T) {
	nodes := func(n int) string {
		var b strings.Builder
		b.WriteString("nodes:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: $.n%d}, next: n%d}\n", i, i, i+1)
		}
		return b.String()
	}
	many := 100_000
	if testing.Short() {
		many = 10_001
	}
	for _, c := range []struct{ name, src, code, says string }{
		{"many nodes", nodes(many), "too-many-nodes", "10000"},
		{"10 MB", nodes(10) + "# " + strings.Repeat("x", 10<<20), "document-too-large", "10485760"},
		{"nested lists", strings.Repeat("[", 10_000), "document-too-deep", "200"},
		{"nested maps", strings.Repeat("{a: ", 10_000), "document-too-deep", "200"},
		{"nested JSON", strings.Repeat(`{"a":`, 10_000), "document-too-deep", "200"},
		{"nested blocks", "nodes:\n" + strings.Repeat("- ", 10_000) + "a", "document-too-deep", "200"},
		{"no text", "", "empty-document", "empty"},
		{"bytes", "\xff\xfe\x00nodes", "syntax", "UTF-8"},
		{"zeroes", strings.Repeat("\x00", 1000), "syntax", ""},
		{"one long line", "nodes: " + strings.Repeat("x", 1<<20), "no-nodes", "text"},
		{"a long expression", "nodes:\n  - {id: a, type: transform, transform: {expr: '" + strings.Repeat("(", 100_000) + "'}, next: a}", "expr-syntax", ""},
	} {
		_, l := (fixture{name: "graph"}).check(c.src)
		if len(l) == 0 || !strings.Contains(fmt.Sprint(codesOf(l)), c.code) || !strings.Contains(messages(l), c.says) {
			t.Errorf("%s: %v %.300s, want %s with %q", c.name, codesOf(l), messages(l), c.code, c.says)
		}
	}
}

func codesOf(l diag.List) []string {
	var all []string
	for _, d := range l[:min(len(l), 20)] {
		all = append(all, d.Code)
	}
	return all
}

func messages(l diag.List) string {
	var all []string
	for _, d := range l[:min(len(l), 20)] {
		all = append(all, d.Message)
	}
	return strings.Join(all, "; ")
}

// wrong are nodes with an error each; %d is the node's number.
var wrong = map[string]string{
	"unknown type":      "{id: n%d, type: mpc, server: files, tool: list, args: {path: .}, next: n0}",
	"no such type":      "{id: n%d, type: teleport%d, next: n0}",
	"unknown tool":      "{id: n%d, type: mcp, server: files, tool: lits, args: {path: .}, next: n0}",
	"unknown server":    "{id: n%d, type: mcp, server: flies%d, tool: list, args: {path: .}, next: n0}",
	"dangling edge":     "{id: n%d, type: transform, transform: {expr: 1}, next: m%d}",
	"missing next":      "{id: n%d, type: transform, transform: {expr: '1'}}",
	"same id":           "{id: n, type: transform, transform: {expr: '1'}, next: n}",
	"no id":             "{type: transform, transform: {expr: '1'}, next: n}",
	"unknown node":      "{id: n%d, type: transform, transform: {expr: $.m%d.x}, next: n0}",
	"unknown variable":  "{id: n%d, type: transform, transform: {expr: $m%d}, next: n0}",
	"syntax":            "{id: n%d, type: transform, transform: {expr: '$.n%d === 1'}, next: n0}",
	"slips":             "{id: n%d, type: transform, transform: {expr: '$.n%d.map(a).filter(b)'}, next: n0}",
	"wrong argument":    "{id: n%d, type: mcp, server: files, tool: list, args: {path: 5, depth: x}, next: n0}",
	"switch":            "{id: n%d, type: switch, conditions: [{rule: $.n%d > 3, then: n0}], default: n0}",
	"reads too early":   "{id: n%d, type: transform, transform: {expr: $.exit}, next: n0}",
	"transform as text": "{id: n%d, type: transform, transform: $.n%d, next: n0}",
}

// faulty is a graph of n nodes with the same error each.
func faulty(node string, n int) string {
	var b strings.Builder
	b.WriteString("nodes:\n")
	for i := range n {
		b.WriteString("  - " + strings.ReplaceAll(node, "%d", strconv.Itoa(i)) + "\n")
	}
	return b.String()
}

// TestFaultsEverywhere checks graphs with an error in every node: ten times the
// nodes take about ten times the allocations, not a hundred.
func TestFaultsEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("counts allocations of large graphs: not run with -short")
	}
	for name, node := range wrong {
		allocations := func(n int) uint64 {
			src := faulty(node, n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, l := (fixture{name: "graph"}).check(src)
			runtime.ReadMemStats(&after)
			if !l.HasErrors() {
				t.Fatalf("%s: no errors", name)
			}
			return after.Mallocs - before.Mallocs
		}
		allocations(100) // what is made once
		small, large := allocations(100), allocations(1000)
		t.Logf("%-18s %8d %8d", name, small, large)
		if large > 15*small {
			t.Errorf("%s: 100 nodes take %d allocations, 1,000 take %d", name, small, large)
		}
	}
}

// BenchmarkFaultsEverywhere is the time of 4,000 nodes with an error each in times
// of that of 400: a check that takes the square of the nodes' number fails.
func BenchmarkFaultsEverywhere(b *testing.B) {
	for name, node := range wrong {
		b.Run(name, func(b *testing.B) {
			fastest := func(n int) time.Duration {
				src, least := faulty(node, n), time.Duration(math.MaxInt64)
				for range 3 {
					start := time.Now()
					(fixture{name: "graph"}).check(src)
					least = min(least, time.Since(start))
				}
				return least
			}
			times := 0.0
			for b.Loop() {
				times = float64(fastest(4000)) / float64(fastest(400))
			}
			b.ReportMetric(times, "times")
			if times > 40 {
				b.Errorf("%.0f times as long", times)
			}
		})
	}
}
