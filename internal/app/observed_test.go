package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
)

// withServer is a Patchbay over one in-process server whose tool "get" answers
// with the JSON text it is given, PAD in it as long as is asked, and has no output
// schema.
func withServer(t *testing.T, o app.Options) *app.App {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "get", InputSchema: json.RawMessage(`{"type":"object","properties":{"json":{"type":"string"},"pad":{"type":"integer"}},"required":["json"]}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct {
				JSON string
				Pad  int
			}
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Replace(in.JSON, "PAD", strings.Repeat("x", in.Pad), 1)}}}, nil
		})
	o.Servers = []downstream.Server{{Name: "echo", InProcess: server}}
	return started(t, o)
}

func observe(t *testing.T, pb *app.App, text string) {
	t.Helper()
	observePadded(t, pb, text, 0)
}

func observePadded(t *testing.T, pb *app.App, text string, pad int) {
	t.Helper()
	args, _ := json.Marshal(map[string]any{"json": text, "pad": pad})
	r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:echo/get", Arguments: args})
	if fault != nil || r.Failed() {
		t.Fatal(fault, r)
	}
}

func describe(t *testing.T, pb *app.App) *observed.Output {
	t.Helper()
	d, fault := pb.Details(t.Context(), discover.DetailsInput{Detail: discover.Full, Nodes: []plans.NodeRef{{ID: "mcp:echo/get"}}})
	if fault != nil {
		t.Fatal(fault)
	}
	return d.Nodes[0].Observed
}

func TestShapesOfResultsAreLearnedWithoutValues(t *testing.T) {
	dir := t.TempDir()
	pb := withServer(t, app.Options{ObserveIn: dir})
	if o := describe(t, pb); o != nil {
		t.Fatalf("something was learned from nothing: %+v", o)
	}
	observe(t, pb, `{"name": "a secret value", "sizes": [1, 2.5]}`)
	observe(t, pb, `{"name": "another", "deep": {"ok": true}}`)
	const want = `{"properties":{"deep":{"properties":{"ok":{"type":"boolean"}},"required":["ok"],"type":"object"},"name":{"type":"string"},"sizes":{"items":{"type":"number"},"type":"array"}},"required":["name"],"type":"object"}`
	o := describe(t, pb)
	if o == nil || o.Samples != 2 || string(o.Schema) != want {
		t.Errorf("got %+v\nwant %s", o, want)
	}
	if sig := details(t, pb, discover.DetailsInput{}, "mcp:echo/get").Nodes[0].Signature; !strings.HasSuffix(sig, ") -> {deep: {ok*: boolean}, name*: string, sizes: number[]} // as observed") {
		t.Errorf("the signature does not have the observed output: %s", sig)
	}
	pb.Close() // what was learned is written then
	again := withServer(t, app.Options{ObserveIn: dir})
	if o := describe(t, again); o == nil || string(o.Schema) != want {
		t.Errorf("after a restart: %+v", o)
	}
	if o := describe(t, withServer(t, app.Options{ObserveIn: dir, NoObserve: true})); o != nil {
		t.Errorf("with learning off: %+v", o)
	}
}

// What one project learns of a tool says nothing of another's server with that name.
func TestShapesBelongToTheirProject(t *testing.T) {
	dir := t.TempDir()
	first := withServer(t, app.Options{ObserveIn: dir, Project: "p"})
	observe(t, first, `{"name": "x"}`)
	first.Close()
	if o := describe(t, withServer(t, app.Options{ObserveIn: dir, Project: "q"})); o != nil {
		t.Errorf("another project knows %+v", o)
	}
	if o := describe(t, withServer(t, app.Options{ObserveIn: dir, Project: "p"})); o == nil || o.Samples != 1 {
		t.Errorf("the project knows %+v", o)
	}
}

// A large result passes through as it is, and teaches nothing: to learn from it would
// hold its call up.
func TestLargeResultsTeachNothing(t *testing.T) {
	pb := withServer(t, app.Options{})
	observePadded(t, pb, `{"name": "PAD"}`, 10<<20)
	if o := describe(t, pb); o != nil {
		t.Errorf("it was learned: %+v", o)
	}
	observePadded(t, pb, `{"name": "PAD"}`, 100<<10)
	if o := describe(t, pb); o == nil || o.Samples != 1 {
		t.Errorf("a smaller one: %+v", o)
	}
}

func TestLearnedShapesMakeNotesOnly(t *testing.T) {
	pb := withServer(t, app.Options{})
	observe(t, pb, `{"name": "x", "size": 1}`)
	const src = `nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: echo, tool: get, args: {json: "{}"}, next: use}
  - {id: use, type: transform, transform: {expr: '$.get.namee & $.get.name.first & ($.get.size & "x")'}, next: exit}
  - {id: exit, type: exit}
`
	r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", src, "")})
	if fault != nil || !r.Valid || len(r.Warnings) > 0 {
		t.Fatalf("got %+v, %v", r, fault)
	}
	if len(r.Notes) != 1 || r.Notes[0].Code != "undeclared-field" || !strings.Contains(r.Notes[0].Message, "namee") {
		t.Errorf("notes: %+v", r.Notes)
	}
}

func TestPlaceholdersAreCheckedAndNotRun(t *testing.T) {
	pb := withServer(t, app.Options{})
	const src = `nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: echo, tool: get, args: {json: {"$placeholder": "the text to parse"}}, next: exit}
  - {id: exit, type: exit}
`
	r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", src, "")})
	if fault != nil || !r.Valid || len(r.Warnings) != 1 || r.Warnings[0].Code != "placeholder" {
		t.Fatalf("validate: %+v, %v", r, fault)
	}
	wrecked, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", src, "")})
	if fault != nil || wrecked.Status != "rejected" || len(wrecked.Diagnostics) != 1 || wrecked.Diagnostics[0].Path != "/nodes/1/args/json" {
		t.Errorf("run: %+v, %v", wrecked, fault)
	}
}
