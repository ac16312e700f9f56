package app_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

func withNPM(t *testing.T) *app.App {
	t.Helper()
	modules, err := filepath.Abs("../../testdata/npm/node_modules/@modelcontextprotocol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if _, err := os.Stat(modules); err != nil {
		t.Skip("the npm servers are not installed: run npm ci in testdata/npm")
	}
	dir := t.TempDir()
	var servers []downstream.Server
	for name, args := range map[string][]string{"filesystem": {dir}, "everything": nil, "memory": nil} {
		servers = append(servers, downstream.Server{
			Name: name, Command: "node", Args: append([]string{filepath.Join(modules, "server-"+name, "dist", "index.js")}, args...),
			Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")},
		})
	}
	pb := overWith(t, app.Options{}, nil, servers...)
	if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return testenv.Limit(time.Minute) }); err != nil {
		t.Fatal(err)
	}
	return pb
}

// ordinary is how many parameters an ordinary node has at most.
const ordinary = 8

// The brief form of an ordinary node has at most 250 tokens and that of ten nodes at most
// 2,000, which is a fraction of their whole specifications. It names every argument with
// its type, and the skeleton is valid as it is.
func TestBriefIsEnough(t *testing.T) {
	pb := withNPM(t)
	var ids []plans.NodeRef
	briefs, wholes := 0, 0
	for _, s := range pb.Catalog().Snapshot().All() {
		if s.NodeType == specs.Idiom {
			continue
		}
		ids = append(ids, plans.NodeRef{ID: s.ID()})
		n := details(t, pb, discover.DetailsInput{}, s.ID()).Nodes[0]
		whole := details(t, pb, discover.DetailsInput{Detail: discover.Full}, s.ID()).Nodes[0]
		size := count(t, n)
		briefs, wholes = briefs+size, wholes+count(t, whole)
		if most := 250; size > most && len(s.Parameters) <= ordinary || size > 2*most {
			t.Errorf("%s is brief in %d tokens:\n%s", n.ID, size, n.Signature)
		}
		if n.Parameters != nil || n.InputPorts != nil || n.Examples != nil {
			t.Errorf("the brief %s has %d parameters, %d ports and %d examples", n.ID, len(n.Parameters), len(n.InputPorts), len(n.Examples))
		}
		if !bytes.Equal(n.Skeleton, whole.Skeleton) || len(whole.Parameters) != len(s.Parameters) || len(whole.OutputPorts) == 0 && s.NodeType != "exit" && s.NodeType != "end" {
			t.Errorf("%s: the skeletons differ, or the specification is not whole: %+v", n.ID, whole)
		}
		for _, p := range s.Parameters {
			checkLine(t, n, p, schema.Read(s.InputSchema).Property(p.Name))
		}
		if s.NodeType == "mcp" && s.Subtype != "" {
			checkSkeleton(t, pb, n)
		}
	}
	t.Logf("%d nodes are brief in %d tokens, whole in %d", len(ids), briefs, wholes)
	if briefs*3 > wholes {
		t.Errorf("brief has %d tokens, full %d", briefs, wholes)
	}
	for ten := range slices.Chunk(ids, 10) {
		r, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: ten})
		if fault != nil {
			t.Fatal(fault)
		}
		if n := count(t, r); n > 2000 {
			t.Errorf("%v have %d tokens", ten, n)
		}
	}
}

// checkLine looks for a parameter in a signature: its name, whether it is required, the
// values it may have and what it is for.
func checkLine(t *testing.T, n discover.NodeDetails, p specs.Parameter, property *schema.Node) {
	t.Helper()
	name := p.Name
	if p.Required {
		name += "*"
	}
	_, line, found := strings.Cut(n.Signature, "\n  "+name+": ")
	if !found {
		t.Errorf("%s: no %s in\n%s", n.ID, name, n.Signature)
		return
	}
	line, _, _ = strings.Cut(line, "\n")
	for _, v := range p.EnumValues {
		if text, ok := v.(string); ok && !strings.Contains(line, "'"+text+"'") {
			t.Errorf("%s: %s does not have the value %q: %s", n.ID, name, text, line)
		}
	}
	for _, field := range property.Get("items").Required() {
		if !strings.Contains(line, field+"*: ") {
			t.Errorf("%s: %s does not have the field %s: %s", n.ID, name, field, line)
		}
	}
}

// checkSkeleton checks a graph of one node as it is.
func checkSkeleton(t *testing.T, pb *app.App, n discover.NodeDetails) {
	t.Helper()
	var node struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(n.Skeleton, &node); err != nil {
		t.Fatal(err)
	}
	text := `{"nodes":[{"id":"entry","type":"entry","next":"` + node.ID + `"},` + string(n.Skeleton) + `,{"id":"exit","type":"exit"}]}`
	if r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", text, "")}); fault != nil || !r.Valid {
		t.Errorf("the skeleton of %s: %v, %+v", n.ID, fault, r.Errors)
	}
}

func details(t *testing.T, pb *app.App, in discover.DetailsInput, ids ...string) *discover.DetailsResult {
	t.Helper()
	for _, id := range ids {
		in.Nodes = append(in.Nodes, plans.NodeRef{ID: id})
	}
	r, fault := pb.Details(t.Context(), in)
	if fault != nil {
		t.Fatal(fault)
	}
	return r
}

// Tools of many authors are as brief, whatever their descriptions.
func TestBriefOfManyTools(t *testing.T) {
	root := os.Getenv("PATCHBAY_TEST_DATA")
	if root == "" {
		t.Skip("PATCHBAY_TEST_DATA is not set: the development sets are missing")
	}
	files, err := filepath.Glob(filepath.Join(root, "search-dev", "*", "corpus.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	tools := map[string]*specs.Spec{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var tool struct {
				Server, Name, Description string
				Parameters                []specs.Parameter
			}
			if err := json.Unmarshal(line, &tool); err != nil {
				t.Fatal(err)
			}
			s := &specs.Spec{NodeType: "mcp", Subtype: tool.Server + "/" + tool.Name, Description: tool.Description, Parameters: tool.Parameters}
			tools[s.ID()] = s
		}
	}
	cat := catalog.New()
	cat.Replace("corpus", slices.Collect(maps.Values(tools)))
	pb := app.New(app.Options{Catalog: cat})
	for id, s := range tools {
		n := details(t, pb, discover.DetailsInput{}, id).Nodes[0]
		if size := count(t, n); size > 250 && len(s.Parameters) <= ordinary {
			t.Errorf("%s is brief in %d tokens:\n%s\n%s", id, size, n.Description, n.Signature)
		}
	}
	t.Logf("%d tools", len(tools))
}

// What a signature shows of a schema.
func TestSignature(t *testing.T) {
	for _, tt := range []struct{ input, output, want string }{
		{`{}`, ``, "f() -> any // a call shows it"},
		{
			`{"properties":{"b":{"type":"integer","minimum":1,"maximum":50,"default":20},"a b":{"type":"string","format":"date-time","description":"When. Not before."}},"required":["a b"]}`, `{"type":"string"}`,
			"f(\n  \"a b\"*: string(date-time) // When. Not before\n  b: integer(1-50) = 20\n) -> string",
		},
		{
			`{"properties":{"deep":{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"object","properties":{"z":{}}}}}}}}}`, ``,
			"f(\n  deep: {x: {y: object}}\n) -> any // a call shows it",
		},
		{
			`{"properties":{"any":{"anyOf":[{"type":"string"},{"type":"null"}]},"list":{"type":"array","items":{"enum":["a",1]}},"map":{"type":"object","additionalProperties":{"type":"number"}}}}`, `{"type":["object","null"]}`,
			"f(\n  any: string|null\n  list: ('a'|1)[]\n  map: {[key]: number}\n) -> object|null",
		},
		{
			`{"properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}`, ``,
			"f(\n  node: {next: {next: object}}\n) -> any // a call shows it",
		},
		{`{"properties":{"loop":{"$ref":"#/$defs/loop"}},"$defs":{"loop":{"anyOf":[{"$ref":"#/$defs/loop"},{"type":"string"}]}}}`, ``, ""},
	} {
		input := schema.Read(json.RawMessage(tt.input))
		s := &specs.Spec{NodeType: "mcp", Subtype: "s/f", InputSchema: json.RawMessage(tt.input), OutputSchema: json.RawMessage(tt.output), Parameters: schema.Parameters(input)}
		cat := catalog.New()
		cat.Replace("one", []*specs.Spec{s})
		got := details(t, app.New(app.Options{Catalog: cat}), discover.DetailsInput{}, s.ID()).Nodes[0].Signature
		if got != tt.want && tt.want != "" || len(got) > 500 {
			t.Errorf("%s\ngot  %s\nwant %s", tt.input, got, tt.want)
		}
	}
}

// Each part can be had by itself, and packs are shown whole unless brief is asked for.
func TestDetail(t *testing.T) {
	yes, no := true, false
	pb := product(t)
	for _, tt := range []struct {
		in                      discover.DetailsInput
		brief, examples, schema bool
	}{
		{discover.DetailsInput{}, true, false, false},
		{discover.DetailsInput{Detail: discover.Brief}, true, false, false},
		{discover.DetailsInput{IncludeExamples: &yes}, true, true, false},
		{discover.DetailsInput{IncludeSchemas: &yes}, true, false, true},
		{discover.DetailsInput{Detail: discover.Full}, false, true, true},
		{discover.DetailsInput{Detail: discover.Full, IncludeSchemas: &no}, false, true, false},
		{discover.DetailsInput{Detail: discover.Full, IncludeExamples: &no}, false, false, true},
	} {
		n := details(t, pb, tt.in, "mcp:github/get_issue").Nodes[0]
		hasSchema := len(n.OutputPorts) > 0 && n.OutputPorts[0].DataFormat != nil
		if n.Signature != "" != tt.brief || n.Parameters == nil != tt.brief || len(n.Examples) > 0 != tt.examples || hasSchema != tt.schema || len(n.Skeleton) == 0 {
			t.Errorf("%+v: %+v", tt.in, n)
		}
	}
	if _, fault := pb.Details(t.Context(), discover.DetailsInput{Detail: "some", Nodes: []plans.NodeRef{{ID: "wait"}}}); fault == nil || fault.Path != "/detail" {
		t.Error(fault)
	}
	packs := withPack(t)
	if n := details(t, packs, discover.DetailsInput{}, "FLOW_NODE:IF").Nodes[0]; len(n.Parameters) == 0 || len(n.OutputPorts) == 0 || n.Signature != "" {
		t.Errorf("a node of a pack: %+v", n)
	}
	if n := details(t, packs, discover.DetailsInput{Detail: discover.Brief}, "FLOW_NODE:IF").Nodes[0]; n.Parameters != nil || n.Signature == "" {
		t.Errorf("a brief node of a pack: %+v", n)
	}
}

// What is shown of a built-in node in brief is short, also of one with many fields.
func TestBriefOfBuiltInNodesIsShort(t *testing.T) {
	const most = 260
	pb := product(t)
	for _, k := range engine.Kinds() {
		n := details(t, pb, discover.DetailsInput{Detail: discover.Brief}, k.Spec.NodeType).Nodes[0]
		if got := count(t, n); got > most {
			t.Errorf("%s takes %d tokens, at most %d:\n%s", k.Spec.NodeType, got, most, n.Signature)
		}
	}
}

// A search shows of each hit what get_node_details shows of it.
func TestSearchWithDetails(t *testing.T) {
	pb := product(t)
	for _, detail := range []discover.Detail{"", discover.Brief, discover.Full} {
		r, fault := pb.Search(t.Context(), discover.SearchInput{Query: "repository issue", IncludeDetails: true, Detail: detail})
		if fault != nil || len(r.Results) == 0 {
			t.Fatal(fault, r)
		}
		for _, hit := range r.Results {
			want := details(t, pb, discover.DetailsInput{Detail: detail}, hit.Name()).Nodes[0]
			want.ID = "" // it follows from the type and subtype
			if diff := cmp.Diff(want, hit.NodeDetails); diff != "" || hit.Score <= 0 {
				t.Errorf("%s %s, score %v (-details +hit):\n%s", detail, hit.Name(), hit.Score, diff)
			}
		}
	}
	r, _ := pb.Search(t.Context(), discover.SearchInput{Query: "repository issue", Detail: discover.Full})
	if hit := r.Results[0]; hit.Skeleton != nil || hit.Parameters != nil || strings.Contains(hit.Signature, "\n") {
		t.Errorf("details came unasked: %+v", hit)
	}
	if _, fault := pb.Search(t.Context(), discover.SearchInput{Query: "x", Detail: "some"}); fault == nil || fault.Path != "/detail" {
		t.Error(fault)
	}
}

// count is how many tokens a value has as a reply writes it.
func count(t *testing.T, v any) int {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	n, err := tokens.Count(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
