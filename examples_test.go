package patchbay_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/workspace"
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

// A trial is one call of an example and what must come of it: its result, or the
// code of its error. It stands in the example's .test.yaml. A run that stops to ask
// a person gets the answer, one that fails continues as resume says.
type trial struct {
	Tool      string         `yaml:"tool"`
	Arguments any            `yaml:"arguments"`
	Pins      map[string]any `yaml:"pins"`
	Until     string         `yaml:"until"`
	Answer    *struct {
		Action  string `yaml:"action"`
		Content any    `yaml:"content"`
	} `yaml:"answer"`
	Resume *struct {
		Decision string `yaml:"decision"`
		Pin      any    `yaml:"pin"`
	} `yaml:"resume"`
	Result any    `yaml:"result"`
	Error  string `yaml:"error"`
}

// run makes the call.
func (c *trial) run(t *testing.T, pb *app.App, path, src string) *app.RunResult {
	t.Helper()
	pins := map[string]json.RawMessage{}
	for id, v := range c.Pins {
		pins[id] = encode(t, v)
	}
	r, fault := pb.Run(t.Context(), app.RunInput{GraphInput: app.FromText(path, src, c.Tool), Arguments: encode(t, c.Arguments), Pins: pins, Until: c.Until})
	if fault == nil && c.Answer != nil {
		if len(r.Asks) == 0 {
			t.Fatalf("the run asks nothing: %s %v", r.Status, r.Error)
		}
		r, fault = pb.Answer(t.Context(), app.AnswerInput{RunID: r.RunID, Action: c.Answer.Action, Content: encode(t, c.Answer.Content)})
	}
	if fault == nil && c.Resume != nil {
		if r.Status != "failed" {
			t.Fatalf("the run should fail at first: %s", r.Status)
		}
		r, fault = pb.ResumeRun(t.Context(), app.ResumeRunInput{RunID: r.RunID, Decision: c.Resume.Decision, Pin: encode(t, c.Resume.Pin)})
	}
	if fault != nil {
		t.Fatal(fault)
	}
	return r
}

// examples are the graphs under examples, without packs.
func examples(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir("examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "packs" || d.Name() == "data" || d.Name() == "library") {
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
			checked, fault := pb.Validate(t.Context(), app.ValidateInput{GraphInput: app.FromText(path, src, "")})
			if fault != nil {
				t.Fatal(fault)
			}
			if !checked.Valid || len(checked.Warnings) > 0 {
				t.Fatalf("the example is not faultless:\n%s", checked.Rendered)
			}
			if legacy := path == filepath.Join("examples", "mcpgraph", "older.yaml"); (len(checked.Notes) > 0) != legacy {
				t.Errorf("notes:\n%s", checked.Rendered)
			}
			for _, c := range trials(t, path) {
				try(t, pb, path, src, c)
			}
		})
	}
}

// TestOlderFormIsRewritten applies the fixes that the notes about mcpGraph's
// older form offer: the result is the present form and does the same.
func TestOlderFormIsRewritten(t *testing.T) {
	pb := newPatchbay(t)
	path := filepath.Join("examples", "mcpgraph", "older.yaml")
	r, fault := pb.Validate(t.Context(), app.ValidateInput{GraphInput: app.FromText(path, readText(t, path), ""), ApplyFixes: true})
	if fault != nil {
		t.Fatal(fault)
	}
	if !r.Valid || strings.Contains(r.Source, "target:") || strings.Contains(r.Source, `path: "$.`) {
		t.Errorf("rewritten as:\n%s\n%s", r.Source, r.Rendered)
	}
	for _, c := range trials(t, path) {
		try(t, pb, path, r.Source, c)
	}
}

func try(t *testing.T, pb *app.App, path, src string, c trial) {
	t.Helper()
	arguments := encode(t, c.Arguments)
	r := c.run(t, pb, path, src)
	if c.Error != "" {
		if r.Error == nil || r.Error.Code != c.Error {
			t.Errorf("%s %s: %s %v, want the error %s", c.Tool, arguments, r.Status, r.Error, c.Error)
		}
		return
	}
	if r.Error != nil || len(r.Diagnostics) > 0 {
		t.Errorf("%s %s: %v\n%s", c.Tool, arguments, r.Error, r.Rendered)
		return
	}
	if diff := cmp.Diff(plain(t, encode(t, c.Result)), plain(t, r.Result)); diff != "" {
		t.Errorf("%s %s: result (-want +got):\n%s", c.Tool, arguments, diff)
	}
}

func trials(t *testing.T, path string) []trial {
	t.Helper()
	var list []trial
	if err := yaml.Unmarshal([]byte(readText(t, strings.TrimSuffix(path, ".yaml")+".test.yaml")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("the example has no trial")
	}
	return list
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plain decodes JSON, so that the order of keys does not matter.
func plain(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
