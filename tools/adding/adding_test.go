// Package adding holds the examples of docs/adding.md, as tests that run them.
package adding

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// TestNodeType runs the example of the new node type.
func TestNodeType(t *testing.T) {
	i := slices.IndexFunc(engine.Kinds(), func(k *engine.Kind) bool { return k.Spec.NodeType == "count" })
	for _, ex := range engine.Kinds()[i].Spec.Examples {
		doc, _ := graph.Parse("example.yaml", ex.Graph)
		plan, found := engine.Compile(doc, "", engine.Env{})
		if len(found) > 0 {
			t.Fatal(diag.Format("example.yaml", ex.Graph, found))
		}
		rec := local.Run(t.Context(), plan, nil, ex.Arguments, local.Options{})
		got, err := expr.Encode(rec.Result)
		if err != nil || string(got) != string(ex.Result) {
			t.Errorf("the example gives %s, %v, %v", got, rec.Fault, err)
		}
	}
}

// TestRule checks the fixture that breaks the new rule.
func TestRule(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "count-of-scalar.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc, _ := graph.Parse("count-of-scalar.yaml", string(src))
	_, found := engine.Compile(doc, "", engine.Env{})
	want, err := os.ReadFile(filepath.Join("testdata", "count-of-scalar.yaml.out"))
	if err != nil {
		t.Fatal(err)
	}
	if got := diag.Format("count-of-scalar.yaml", string(src), found); got != string(want) {
		t.Errorf("got\n%s", got)
	}
}

// TestToolSource calls the tool of the new source.
func TestToolSource(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	hub := downstream.New([]downstream.Server{{Name: "clock", InProcess: Clock(func() time.Time { return noon }), Trusted: true}}, nil)
	defer hub.Close()
	hub.Start(t.Context())
	r, err := hub.CallTool(t.Context(), run.Call{Server: "clock", Tool: "now", Args: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Structured) != `{"time":"2026-01-31T12:00:00Z"}` {
		t.Errorf("the tool answers %s", r.Structured)
	}
}

// An optional count is a count node that takes the new modifier too.
var _ = engine.Register(engine.Kind{
	Spec:      specs.Spec{NodeType: "optional_count"},
	Fields:    []engine.Field{{Name: "items", Type: "array", Required: true}, {Name: "next", Type: "node-id", Edges: true, Required: true}},
	Modifiers: append(engine.Modifiers{whenModifier}, engine.AllModifiers...),
	Compile:   compileCount,
})

// TestModifier runs a node that takes the new modifier.
func TestModifier(t *testing.T) {
	const src = `nodes:
  - {id: entry, type: entry, next: count}
  - {id: count, type: optional_count, items: {expr: $.entry.items}, when: {expr: $.entry.wanted}, next: exit}
  - {id: exit, type: exit, result: {expr: $.count}}
`
	doc, _ := graph.Parse("when.yaml", src)
	plan, found := engine.Compile(doc, "", engine.Env{})
	if found.HasErrors() {
		t.Fatal(diag.Format("when.yaml", src, found))
	}
	for wanted, want := range map[string]string{"true": `{"count":2}`, "false": `null`} {
		rec := local.Run(t.Context(), plan, nil, json.RawMessage(`{"items":[1,2],"wanted":`+wanted+`}`), local.Options{})
		got, err := expr.Encode(rec.Result)
		if err != nil || string(got) != want {
			t.Errorf("when it is %s: %s, %v, %v", wanted, got, rec.Fault, err)
		}
	}
}

// TestStore parks a run in the new store, resumes it from there, and deletes it.
func TestStore(t *testing.T) {
	const src = `nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: ask, message: May it go on?, schema: {type: object, properties: {ok: {type: boolean}}}, next: exit}
  - {id: exit, type: exit, result: {expr: $.ask.action}}
`
	compile := func(_ context.Context, from run.Source) (*engine.Plan, *diag.Fault) {
		doc, _ := graph.Parse(from.Name, from.Text)
		plan, found := engine.Compile(doc, from.Tool, engine.Env{})
		if found.HasErrors() {
			return nil, diag.Faultf("invalid-graph", "%s", diag.Format(from.Name, from.Text, found))
		}
		return plan, nil
	}
	plan, fault := compile(t.Context(), run.Source{Name: "ask.yaml", Text: src})
	if fault != nil {
		t.Fatal(fault)
	}
	shelf := NewShelf()
	runner := runs.NewLocal(runs.Options{
		Store:   func() (runs.RunStore, error) { return shelf, nil },
		Calls:   func(context.Context, string) run.Caller { return nil },
		Compile: compile,
	})
	defer runner.Close(t.Context())
	rec, fault := runner.Start(t.Context(), plan, json.RawMessage(`{}`), runs.StartOptions{Principal: "ann"})
	if fault != nil || rec.Status != run.Interrupted {
		t.Fatalf("started: %+v, %v", rec, fault)
	}
	ann, bob := run.Actor{Principal: "ann"}, run.Actor{Principal: "bob"}
	if _, err := shelf.Load(bob, rec.ID); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("another's run: %v", err)
	}
	if n, err := shelf.Prune("", time.Now().Add(time.Hour), 1); n != 0 || err != nil {
		t.Errorf("%d runs that wait are deleted, %v", n, err)
	}
	kept, fault := runner.Load(ann, rec.ID)
	if fault != nil {
		t.Fatal(fault)
	}
	kept.Intents[0].Outcome = json.RawMessage(`{"action":"decline"}`)
	if rec, fault = runner.Resume(t.Context(), plan, kept, runs.Client{}); fault != nil || rec.Status != run.Succeeded || rec.Result != "decline" {
		t.Fatalf("resumed: %+v, %v", rec, fault)
	}
	stale := *kept
	stale.Begun--
	for what, err := range map[string]error{"run-changed": shelf.Begin(&stale, true), "not-running": shelf.Cancel(ann, rec.ID)} {
		if f, ok := errors.AsType[*diag.Fault](err); !ok || f.Code != what {
			t.Errorf("%v, want %s", err, what)
		}
	}
	if list, err := shelf.List(run.Filter{Actor: ann, Status: run.Succeeded}); len(list) != 1 || err != nil {
		t.Errorf("listed %+v, %v", list, err)
	}
	if n, err := shelf.Prune("", time.Now().Add(time.Hour), 0); n != 1 || err != nil {
		t.Errorf("%d runs are deleted, %v", n, err)
	}
}

// copied is a file of the repository, as the page shows it.
var copied = regexp.MustCompile("(?s)<!-- (\\S+) -->\n```(\\w+)\n(.*?)```\n")

// TestPage compares what docs/adding.md shows with the files that are compiled.
func TestPage(t *testing.T) {
	const path = "../../docs/adding.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	now := copied.ReplaceAllFunc(page, func(block []byte) []byte {
		m := copied.FindSubmatch(block)
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(string(m[1]))))
		if err != nil {
			t.Error(err)
		}
		shown++
		return slices.Concat([]byte("<!-- "), m[1], []byte(" -->\n```"), m[2], []byte("\n"), b, []byte("```\n"))
	})
	if shown == 0 {
		t.Error("the page shows no file")
	}
	golden.Check(t, path, string(now))
}
