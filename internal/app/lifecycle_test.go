package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

const readsLate = `name: reads_late
description: Reads with a tool that comes later
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: late, tool: read, args: {}, next: exit}
  - {id: exit, type: exit}
`

// What a saved graph does depends on the tools that it calls: clients learn it also
// when a server lists them after the start.
func TestSavedGraphsFollowToolsThatComeLater(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "reads_late.yaml"), []byte(readsLate), 0o600); err != nil {
		t.Fatal(err)
	}
	graphs, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	late := mcp.NewServer(&mcp.Implementation{Name: "late", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
	pb := started(t, app.Options{Servers: []downstream.Server{{Name: "late", InProcess: late, Trusted: true}}, Graphs: graphs})
	readOnly := func() bool {
		tools := pb.GraphTools.List()
		return len(tools) == 1 && tools[0].Annotations != nil && tools[0].Annotations.IsReadOnly()
	}
	if readOnly() {
		t.Fatal("the graph is read-only before its tool is known")
	}
	changed := make(chan struct{}, 8)
	pb.OnPublished(func() { changed <- struct{}{} })
	late.AddTool(&mcp.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	<-changed
	if !readOnly() {
		t.Errorf("with its tool the graph is %+v", pb.GraphTools.List())
	}
}

// A graph that is saved while others follow a change of tools stays in the catalog.
func TestSavingWhileToolsChange(t *testing.T) {
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	busy := mcp.NewServer(&mcp.Implementation{Name: "busy", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
	pb := started(t, app.Options{Servers: []downstream.Server{{Name: "busy", InProcess: busy}}, Graphs: graphs})
	names := strings.Fields("a b c d e f g h")
	for _, name := range names {
		busy.AddTool(&mcp.Tool{Name: "tool_" + name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		src := "name: " + name + "\ndescription: Does nothing\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n"
		if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText(name, src, "")}); fault != nil || r.Failed() {
			t.Fatal(name, fault, r)
		}
	}
	pb.Close()
	var kept []string
	for _, spec := range pb.Catalog().Snapshot().All() {
		if spec.NodeType == "graph" && spec.Subtype != "" {
			kept = append(kept, spec.Subtype)
		}
	}
	slices.Sort(kept)
	if !slices.Equal(kept, names) {
		t.Errorf("the catalog has the graphs %v, want %v", kept, names)
	}
}

// An App that cannot be opened leaves nothing open.
func TestOpenFails(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "console")
	before := goleak.IgnoreCurrent()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	bad, _ := graph.Parse("bad.yaml", "name: bad\nnodes: [{id: entry, type: entry, next: nowhere}]\n")
	for _, cfg := range []*config.Config{
		{GraphsDir: filepath.Join(file, "graphs")},
		{Documents: []*config.Document{{Path: "bad.yaml", Graph: bad}}},
	} {
		if pb, err := app.Open(t.Context(), cfg, app.Setup{}); err == nil {
			pb.Close()
			t.Errorf("%+v is opened", cfg)
		} else if invalid, ok := errors.AsType[*app.InvalidDocuments](err); ok != (cfg.Documents != nil) || ok && !strings.Contains(invalid.Rendered, "bad.yaml:2") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	goleak.VerifyNone(t, before)
}

// Close ends everything that Open and Start began, however often it is called.
func TestCloseEndsEverything(t *testing.T) {
	before := goleak.IgnoreCurrent()
	dir := t.TempDir()
	cfg := &config.Config{GraphsDir: filepath.Join(dir, "graphs"), Root: dir, Workspace: true}
	pb, err := app.Open(t.Context(), cfg, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	pb.Start(t.Context())
	<-pb.Loaded()
	if s := pb.Status(); len(s) != 1 || s[0].State != "ready" {
		t.Errorf("the servers are %+v", s)
	}
	pb.Close()
	pb.Close()
	if _, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:workspace/list_directory", Arguments: json.RawMessage(`{"path":"."}`)}); fault == nil {
		t.Error("a run begins after Close")
	}
	goleak.VerifyNone(t, before)
}
