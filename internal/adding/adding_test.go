// Package adding holds the examples of docs/adding.md, as tests that run them.
package adding

import (
	"encoding/json"
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
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/golden"
	"github.com/patchbay-mcp/patchbay/run"
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
