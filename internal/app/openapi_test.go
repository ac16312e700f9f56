package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

const petsDocument = `openapi: 3.0.3
info: {title: Pets, version: "1"}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties: {id: {type: integer, format: int64}, name: {type: string}, weight: {type: number}, mother: {$ref: "#/components/schemas/Pet"}}
security: [{key: []}]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Get a pet of the clinic
      parameters: [{name: id, in: path, required: true, schema: {type: integer, format: int64}}]
      responses: {"200": {description: it, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
    delete:
      operationId: removePet
      parameters: [{name: id, in: path, required: true, schema: {type: integer, format: int64}}]
      responses: {"204": {description: done}}
    head: {operationId: broken, parameters: [{$ref: "#/none"}]}
`

// openConfigured opens an App by a patchbay.yaml.
func openConfigured(t *testing.T, dir, text string) *app.App {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"XDG_CACHE_HOME": filepath.Join(dir, "cache"), "CLINIC_KEY": "the-clinic-key"}
	cfg, found, err := config.Load(config.Options{Dir: dir, Environ: func(name string) (string, bool) { v, ok := variables[name]; return v, ok }})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	pb, err := app.Open(t.Context(), cfg, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	return pb
}

// findsTool reports whether a search has a node first.
func findsTool(t *testing.T, pb *app.App, query, id string) bool {
	t.Helper()
	r, fault := pb.Search(t.Context(), discover.SearchInput{Query: query, TypeFilter: "mcp"})
	if fault != nil {
		t.Fatal(fault)
	}
	return len(r.Results) > 0 && r.Results[0].Name() == id
}

// TestOpenAPIServer finds, checks and runs the operations of a REST API, also by the
// list of an earlier start when the API cannot be reached.
func TestOpenAPIServer(t *testing.T) {
	var document atomic.Value
	document.Store(petsDocument)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/openapi.yaml":
			_, _ = io.WriteString(w, document.Load().(string))
		case r.Header.Get("X-Key") != "the-clinic-key":
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodGet:
			_, _ = fmt.Fprintf(w, `{"id":%s,"name":"Rex","weight":12.10}`, strings.TrimPrefix(r.URL.Path, "/v1/pets/"))
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	conf := "openapi:\n  clinic:\n    source: " + s.URL + "/openapi.yaml\n    url: " + s.URL + "/v1\n    auth: {key: \"${CLINIC_KEY}\"}\n" +
		"  other: {source: none.yaml}\n"
	pb := openConfigured(t, dir, conf)
	const graph = `name: weigh
description: Weighs a pet
inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: pet}
  - {id: pet, type: mcp, server: clinic, tool: getPet, args: {id: {expr: $.entry.id}}, next: exit}
  - {id: exit, type: exit, result: {id: {expr: $.pet.id}, weight: {expr: $.pet.weight}, mother: {expr: $.pet.mother.name}}}
`
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g.yaml", graph, ""), Arguments: json.RawMessage(`{"id":9007199254740993}`)})
	if fault != nil || string(r.Result) != `{"id":9007199254740993,"weight":12.10}` {
		t.Errorf("%s %v %v", r.Result, r.Error, fault)
	}
	if !findsTool(t, pb, "get a pet of the clinic", "mcp:clinic/getPet") {
		t.Error("the tool is not found")
	}
	wrong, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g.yaml", strings.ReplaceAll(graph, "pet.weight", "pet.wieght"), "")})
	if fault != nil || !strings.Contains(wrong.Rendered, `did you mean "weight"?`) {
		t.Errorf("a wrong field: %+v %v", wrong, fault)
	}
	states := map[string]downstream.Status{}
	for _, status := range pb.Status() {
		states[status.Name] = status
	}
	if got := states["clinic"]; got.State != "ready" || got.Tools != 2 || !strings.Contains(strings.Join(got.Notes, "\n"), "HEAD /pets/{id} is left out") {
		t.Errorf("clinic: %+v", got)
	}
	pb.Close()

	document.Store("<html>down</html>")
	offline := openConfigured(t, dir, conf)
	if !findsTool(t, offline, "get a pet of the clinic", "mcp:clinic/getPet") {
		t.Error("the tool is not found offline")
	}
	offline.Close()

	document.Store(strings.ReplaceAll(petsDocument, "getPet", "showPet"))
	changed := openConfigured(t, dir, conf)
	if r, fault := changed.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g.yaml", strings.ReplaceAll(graph, "getPet", "showPet"), ""), Arguments: json.RawMessage(`{"id":1}`)}); fault != nil || r.Status != "succeeded" {
		t.Errorf("a changed document: %+v %v", r, fault)
	}
}

// A saved graph that calls an API's tool is refused when the tool of that name requests
// something else, and is told which tool requests it now.
func TestGraphsKeepTheirOperations(t *testing.T) {
	var document, requested atomic.Value
	api := func(first, second string) string {
		return "openapi: 3.0.3\npaths:\n  /" + first + ": {get: {operationId: read, responses: {}}}\n  /" + second + ": {get: {operationId: look, responses: {}}}\n"
	}
	document.Store(api("in", "out"))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.yaml" {
			_, _ = io.WriteString(w, document.Load().(string))
			return
		}
		requested.Store(r.URL.Path)
		_, _ = fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	conf := "graphs: graphs\nopenapi: {metrics: {source: " + s.URL + "/openapi.yaml, url: " + s.URL + "}}\n"
	const graph = `name: traffic
description: Reads the traffic
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: metrics, tool: read, next: exit}
  - {id: exit, type: exit, result: {of: read}}
`
	pb := openConfigured(t, dir, conf)
	if _, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g.yaml", graph, "")}); fault != nil {
		t.Fatal(fault)
	}
	if r, fault := pb.CallGraph(t.Context(), "traffic", nil); fault != nil || r.Status != "succeeded" {
		t.Fatalf("%+v %v", r, fault)
	}
	pb.Close()
	document.Store(api("out", "in"))
	pb = openConfigured(t, dir, conf)
	defer pb.Close()
	r, fault := pb.CallGraph(t.Context(), "traffic", nil)
	if fault == nil || fault.Code != "tool-changed" || !strings.Contains(fault.Message, "requests GET /out now, and requested GET /in") || !strings.Contains(fault.Hint, `write "look"`) {
		t.Errorf("%+v %+v", r, fault)
	}
	pb.Close()
	document.Store("openapi: 3.0.3\npaths:\n  /out: {get: {operationId: look, responses: {}}}\n  /in: {get: {operationId: scan, responses: {}}}\n")
	pb = openConfigured(t, dir, conf)
	defer pb.Close()
	if r, fault := pb.CallGraph(t.Context(), "traffic", nil); fault != nil || r.Status != "succeeded" || requested.Load() != "/in" {
		t.Errorf("the operation has another name: %+v %v", r, fault)
	}
	fixed, fault := pb.FixGraphs(operator(t), library.FixGraphsInput{})
	if fault != nil || fixed.Failed() || len(fixed.Graphs) != 1 || !slices.Equal(fixed.Graphs[0].Tools, []library.RenamedTool{{Node: "read", Former: "metrics/read", Now: "metrics/scan"}}) {
		t.Fatalf("%+v %v", fixed, fault)
	}
	if g, fault := pb.GetGraph(t.Context(), library.GetGraphInput{Name: "traffic"}); fault != nil || !strings.Contains(g.Graph, "tool: scan") {
		t.Errorf("%+v %v", g, fault)
	}
	if r, fault := pb.CallGraph(t.Context(), "traffic", nil); fault != nil || r.Status != "succeeded" || requested.Load() != "/in" {
		t.Errorf("after the fix: %+v %v", r, fault)
	}
	if fixed, fault := pb.FixGraphs(operator(t), library.FixGraphsInput{Names: []string{"traffic"}}); fault != nil || len(fixed.Graphs) != 0 {
		t.Errorf("a second fix: %+v %v", fixed, fault)
	}
	pb.Close()
	document.Store("openapi: 3.0.3\npaths:\n  /out: {get: {operationId: look, responses: {}}}\n  /other: {get: {operationId: look, responses: {}}}\n")
	pb = openConfigured(t, dir, conf)
	defer pb.Close()
	_, _ = pb.CallGraph(t.Context(), "traffic", nil) // the new document is read
	v, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g.yaml", strings.Replace(graph, "tool: read", "tool: look_2", 1), "")})
	if fault != nil || len(v.Errors) == 0 || v.Errors[0].Code != "tool-changed" || !strings.Contains(v.Errors[0].Message, `has another name now, "look_`) || len(v.Errors[0].Fixes) != 1 {
		t.Errorf("a former name: %+v %v", v, fault)
	}
}
