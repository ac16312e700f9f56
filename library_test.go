package patchbay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
	"github.com/patchbay-mcp/patchbay/specs"
)

const doubling = `name: twice
description: Asks the source for a number and doubles it
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: numbers, tool: echo, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": 2 * $.get.n}'}}
`

// numbers is a tool source in this process.
func numbers() *mcp.Server {
	type number struct {
		N float64 `json:"n"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "numbers", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in number) (*mcp.CallToolResult, number, error) {
		return nil, in, nil
	})
	return s
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLibrary(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // nothing may be written there
	var mu sync.Mutex
	var events []string
	app, err := patchbay.Open(t.Context(), patchbay.Options{
		Document: write(t, "twice.yaml", doubling), Sources: map[string]*mcp.Server{"numbers": numbers()},
		OnEvent: func(e patchbay.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, strings.TrimSpace(string(e.Type)+" "+e.Node+" "+string(e.Status)))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	if tools := app.Tools(); len(tools) != 1 || tools[0].Name != "twice" {
		t.Errorf("the tools are %+v", tools)
	}
	if got, err := app.Call(t.Context(), "twice", map[string]int{"n": 21}); err != nil || string(got) != `{"n":42}` {
		t.Errorf("the result is %s, %v", got, err)
	}
	mu.Lock()
	if got := strings.Join(events, ", "); !strings.HasPrefix(got, "nodeStarted entry, nodeCompleted entry, nodeStarted ") || !strings.HasSuffix(got, ", nodeCompleted exit, ended  succeeded") {
		t.Errorf("the events are %s", got)
	}
	mu.Unlock()
	_, err = app.Call(t.Context(), "twice", nil)
	if fault, ok := errors.AsType[*diag.Fault](err); !ok || fault.Code == "" {
		t.Errorf("without arguments: %v", err)
	}
	found, err := app.Check(t.Context(), strings.Replace(doubling, "tool: echo", "tool: eco", 1))
	if err != nil || len(found) != 1 || found[0].Code != "unknown-tool" || len(found[0].Fixes) == 0 {
		t.Errorf("a wrong tool: %v, %v", found, err)
	}
	r, err := app.Run(t.Context(), patchbay.RunInput{GraphInput: patchbay.FromText("twice", doubling, ""), Arguments: json.RawMessage(`{"n":1}`)})
	if err != nil || string(r.Result) != `{"n":2}` {
		t.Errorf("the run is %+v, %v", r, err)
	}
	if runs, err := app.Runs(t.Context(), patchbay.RunsInput{}); err != nil || len(runs.Runs) == 0 {
		t.Errorf("the runs are %+v, %v", runs, err)
	}
	if left, _ := os.ReadDir(os.Getenv("HOME")); len(left) > 0 {
		t.Errorf("without a configuration %v is written", left)
	}
}

func TestLibraryServes(t *testing.T) {
	app, err := patchbay.Open(t.Context(), patchbay.Options{Document: write(t, "twice.yaml", doubling), Sources: map[string]*mcp.Server{"numbers": numbers()}})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	near, far := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- app.Serve(t.Context(), far) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == "twice" }) || len(list.Tools) < 5 {
		t.Errorf("the tools are %+v, %v", list, err)
	}
	_ = session.Close()
	if err := <-served; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	compile := func(*engine.Pass, *engine.Node) engine.Compiled { return engine.Compiled{} }
	kind := func(name string, f func(*engine.Pass, *engine.Node) engine.Compiled) patchbay.Options {
		return patchbay.Options{Kinds: []engine.Kind{{Spec: specs.Spec{NodeType: name}, Compile: f}}}
	}
	for want, o := range map[string]patchbay.Options{
		"already taken":                      kind("switch", compile),
		"has no Compile":                     kind("mine", nil),
		"cannot be a node type":              kind("a b", compile),
		"invalid graph document":             {Document: write(t, "bad.yaml", strings.Replace(doubling, "next: get", "next: got", 1))},
		"no such file":                       {Document: "missing.yaml"},
		"bad.yaml:1: ":                       {Config: write(t, "bad.yaml", "exposeMax: many\n")},
		"of both a server and a tool source": {Servers: map[string]patchbay.Server{"a": {}}, Sources: map[string]*mcp.Server{"a": numbers()}},
	} {
		app, err := patchbay.Open(t.Context(), o)
		if err == nil {
			app.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestLibraryModule runs a module outside this one that adds a node type, a
// function and a tool source, and the command line with them, as it stands.
func TestLibraryModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it links a program")
	}
	for want, args := range map[string][]string{
		`{"text":"GH ordered tea: number 4703"}`: nil,
		"shop.yaml: valid":                       {"validate", "shop.yaml"},
		"template(text*: string":                 {"search", "fill", "in", "a", "text"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"run", "-v"}, testenv.BuildFlags(), []string{"."}, args)...)
		cmd.Dir = filepath.Join("examples", "library")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %v\n%s", args, err, out.String())
		}
		if strings.Contains(out.String(), "/patchbay/engine\n") && testing.CoverMode() == "" {
			t.Errorf("%v: what this test is made of is compiled again:\n%s", args, out.String())
		}
	}
}
