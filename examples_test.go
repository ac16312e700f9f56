package patchbay_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/workspace"
)

// newPatchbay is a Patchbay on the repository's files. The built-in server is
// there under its own name and as filesystem: its tools and their answers are
// those of the npm server that graphs of mcpGraph name so.
func newPatchbay(t *testing.T) *app.App {
	t.Helper()
	var servers []downstream.Server
	for _, name := range []string{"workspace", "filesystem"} {
		files, err := workspace.New(".")
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, downstream.Server{Name: name, InProcess: files, Trusted: true})
	}
	pb := app.New(app.Options{Servers: servers, Egress: newWeb(t)})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	return pb
}

// tried runs the tests of an example on its text.
func tried(t *testing.T, pb *app.App, path, src string) {
	t.Helper()
	tests := strings.TrimSuffix(path, ".yaml") + ".test.yaml"
	for _, r := range pb.Tests.Run(t.Context(), execution.TestInput{Name: tests, Text: readText(t, tests), Read: func(string) (string, error) { return src, nil }}) {
		if !r.Passed {
			t.Errorf("%s: %v %+v", r.Name, r.Error, r.Differences)
		}
	}
}

// examples are the graphs under examples, without packs.
func examples(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir("examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "packs" || d.Name() == "data" || d.Name() == "library" || d.Name() == "apis" || d.Name() == "workflows" || d.Name() == "tasks") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".yaml" && !strings.HasSuffix(path, ".test.yaml") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestExamples(t *testing.T) {
	pb := newPatchbay(t)
	for _, path := range examples(t) {
		t.Run(path, func(t *testing.T) {
			src := readText(t, path)
			checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText(path, src, "")})
			if fault != nil {
				t.Fatal(fault)
			}
			if !checked.Valid || len(checked.Warnings) > 0 {
				t.Fatalf("the example is not faultless:\n%s", checked.Rendered)
			}
			if notes := len(checked.Notes) > 0; notes != (filepath.Dir(path) == filepath.Join("examples", "mcpgraph")) { // they say what is not as in mcpGraph
				t.Errorf("notes:\n%s", checked.Rendered)
			}
			tried(t, pb, path, src)
		})
	}
}

// TestOlderFormIsRewritten applies the fixes that the notes about mcpGraph's
// older form offer: the result is the present form and does the same.
func TestOlderFormIsRewritten(t *testing.T) {
	pb := newPatchbay(t)
	path := filepath.Join("examples", "mcpgraph", "older.yaml")
	r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText(path, readText(t, path), ""), ApplyFixes: true})
	if fault != nil {
		t.Fatal(fault)
	}
	if !r.Valid || strings.Contains(r.Source, "target:") || strings.Contains(r.Source, `path: "$.`) {
		t.Errorf("rewritten as:\n%s\n%s", r.Source, r.Rendered)
	}
	tried(t, pb, path, r.Source)
}

// TestPriceWatchAsks runs the example whose tests have given answers with a service.
func TestPriceWatchAsks(t *testing.T) {
	pb := newPatchbay(t)
	path := filepath.Join("examples", "price_watch.yaml")
	for _, tt := range [][2]string{
		{`{"articles": ["lamp", "desk/oak", "nothing"], "limit": 50}`, `{"dear":["Oak desk"],"unknown":1,"alert":"alert 1: Oak desk"}`},
		{`{"articles": ["lamp"], "limit": 50}`, `{"dear":[],"unknown":0}`},
	} {
		r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText(path, readText(t, path), ""), Arguments: json.RawMessage(tt[0])})
		if fault != nil || string(r.Result) != tt[1] {
			t.Errorf("%s: %s %v %v", tt[0], r.Result, r.Error, fault)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
