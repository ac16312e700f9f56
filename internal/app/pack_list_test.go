package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// openedWith is an App over a configuration with knowledge packs.
func openedWith(t *testing.T, packs ...string) *app.App {
	t.Helper()
	cfg, found, err := config.Load(config.Options{Standalone: true, Packs: packs, Dir: t.TempDir()})
	if err != nil || found.HasErrors() {
		t.Fatal(err, found)
	}
	pb, err := app.Open(t.Context(), cfg, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pb.Close)
	return pb
}

func TestWorkflowPackSwitchedOn(t *testing.T) {
	pb := openedWith(t, "builtin:workflow")
	r, fault := pb.Types(t.Context(), discover.TypesInput{})
	if fault != nil {
		t.Fatal(fault)
	}
	nodes := 0
	for _, name := range []string{"ACTION_NODE", "TRIGGER_NODE", "AI_AGENT_NODE", "FLOW_NODE", "TOOL_NODE", "MEMORY_NODE", "HUMAN_LOOP_NODE", "EXTERNAL_ACTION_NODE"} {
		nodes += len(r.Types[name])
	}
	if nodes != 46 {
		t.Errorf("%d nodes in the eight types: %v", nodes, r.Types)
	}
	if got, r := found(t, pb, discover.SearchInput{Query: "send email notification"}); len(got) == 0 || got[0] != "EXTERNAL_ACTION_NODE:EXTERNAL_EMAIL" || r.AvailablePacks != nil {
		t.Errorf("found %v, %v", got, r.AvailablePacks)
	}
	d, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{NodeType: "FLOW", Subtype: "IF"}, {ID: "flow if"}, {ID: "http_request"}, {NodeType: "FLOW_NODE"}, {ID: "slack"}}})
	if fault != nil {
		t.Fatal(fault)
	}
	for i, want := range []string{"FLOW_NODE:IF", "FLOW_NODE:IF", "ACTION_NODE:HTTP_REQUEST"} {
		if d.Nodes[i].ID != want || len(d.Nodes[i].Skeleton) == 0 {
			t.Errorf("node %d is %q, want %s", i, d.Nodes[i].ID, want)
		}
	}
	if len(d.Assumed) != 3 {
		t.Errorf("assumed %v", d.Assumed)
	}
	bare := d.Nodes[3]
	if bare.Error != "FLOW_NODE needs a subtype" || !strings.Contains(bare.Hint, "FLOW_NODE:IF, FLOW_NODE:LOOP") || len(bare.Suggestions) != 6 {
		t.Errorf("a type without a subtype: %+v", bare)
	}
	if d.Nodes[4].Code != "ambiguous-node" || len(d.Nodes[4].Suggestions) != 2 {
		t.Errorf("a short name of two nodes: %+v", d.Nodes[4])
	}
	short, fault := pb.Types(t.Context(), discover.TypesInput{TypeFilter: "flow"})
	if fault != nil || len(short.Types["FLOW_NODE"]) != 6 || short.Assumed["flow"] != "FLOW_NODE" {
		t.Errorf("filter flow: %+v, %v", short, fault)
	}
}

// Without the pack, what it would answer is said by name.
func TestAvailablePacks(t *testing.T) {
	pb := openedWith(t)
	for _, filter := range []string{"FLOW_NODE", "flow", "Human Loop"} {
		r, fault := pb.Types(t.Context(), discover.TypesInput{TypeFilter: filter})
		if fault != nil || len(r.AvailablePacks) != 1 || r.AvailablePacks[0].Pack != "builtin:workflow" || !strings.Contains(r.Hint, "--pack workflow") || len(r.Types) > 0 {
			t.Errorf("types of %s: %+v, %v", filter, r, fault)
		}
		_, s := found(t, pb, discover.SearchInput{Query: "x", TypeFilter: filter})
		if len(s.AvailablePacks) != 1 {
			t.Errorf("search in %s: %+v", filter, s)
		}
	}
	for query, want := range map[string]string{"post a slack message": "EXTERNAL_ACTION_NODE:EXTERNAL_SLACK", "start on a schedule": "TRIGGER_NODE:TRIGGER_CRON", "keep chat history": "MEMORY_NODE:MEMORY_BUFFER", "http request": "ACTION_NODE:HTTP_REQUEST", "run_code": "ACTION_NODE:RUN_CODE"} {
		if _, r := found(t, pb, discover.SearchInput{Query: query}); len(r.AvailablePacks) != 1 || r.AvailablePacks[0].Nodes[0] != want {
			t.Errorf("%q: %+v", query, r.AvailablePacks)
		}
	}
	for _, in := range []discover.SearchInput{{Query: "compute a value"}, {Query: "post a slack message", RunnableOnly: true}, {Query: "xyzzy"}} {
		if _, r := found(t, pb, in); r.AvailablePacks != nil {
			t.Errorf("%+v: %+v", in, r.AvailablePacks)
		}
	}
	if r, _ := pb.Types(t.Context(), discover.TypesInput{TypeFilter: "mpc"}); r.Assumed["mpc"] != "mcp" || r.AvailablePacks != nil {
		t.Errorf("a misspelt type: %+v", r)
	}
	d, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{NodeType: "FLOW_NODE", Subtype: "IF"}}})
	if fault != nil || !strings.Contains(d.Nodes[0].Hint, "builtin:workflow has FLOW_NODE:IF") {
		t.Errorf("details: %+v, %v", d, fault)
	}
}

// A broken pack is named, and the others are used.
func TestBrokenPacksAreNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nodes.yaml"), []byte("nodes:\n  - {node_type: A, subtype: ONE, description: works}\n  - {node_type: A, subtype: TWO}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	pb := openedWith(t, dir, "builtin:workflows", "builtin:workflow")
	r, fault := pb.Types(t.Context(), discover.TypesInput{})
	if fault != nil {
		t.Fatal(fault)
	}
	if !slices.Equal(r.Types["A"], []string{"ONE"}) || len(r.Types["FLOW_NODE"]) != 6 {
		t.Errorf("types %v", r.Types)
	}
	if len(r.BrokenPacks) != 2 {
		t.Fatalf("broken packs %+v", r.BrokenPacks)
	}
	if p := r.BrokenPacks[0]; p.Pack != dir || p.Nodes != 1 || p.Faults != 1 || !strings.Contains(p.Error, `nodes.yaml:3:5: error: "description" is missing`) || !strings.Contains(p.Hint, "packs lint") {
		t.Errorf("%+v", p)
	}
	if p := r.BrokenPacks[1]; p.Pack != "builtin:workflows" || !strings.Contains(p.Error, "the built-in ones are workflow") {
		t.Errorf("%+v", p)
	}
	if list := pb.Packs.All(); len(list) != 3 || list[2].Nodes != 46 || list[2].Faults != 0 {
		t.Errorf("packs %+v", list)
	}
}

// compatible_with decides about ports as the checker does.
func TestCompatibleWithNodesOfPacks(t *testing.T) {
	pb := openedWith(t, "builtin:workflow")
	all := func(giver string) map[string]bool {
		ids := map[string]bool{}
		for _, query := range []string{"agent", "trigger", "memory", "merge", "transform a value", "mcp tool", "log"} {
			got, _ := found(t, pb, discover.SearchInput{Query: query, CompatibleWith: giver, MaxResults: 50})
			for _, id := range got {
				ids[id] = true
			}
		}
		return ids
	}
	for _, tc := range []struct {
		giver        string
		takes, never []string
	}{
		{"MEMORY_NODE:MEMORY_BUFFER", []string{"AI_AGENT_NODE:OPENAI_NODE", "AI_AGENT_NODE:CLAUDE_NODE"}, []string{"TRIGGER_NODE:TRIGGER_EMAIL", "FLOW_NODE:MERGE", "transform", "MEMORY_NODE:MEMORY_SIMPLE"}},
		{"TRIGGER_NODE:TRIGGER_CHAT", []string{"AI_AGENT_NODE:OPENAI_NODE", "FLOW_NODE:MERGE", "transform"}, []string{"TRIGGER_NODE:TRIGGER_EMAIL", "MEMORY_NODE:MEMORY_BUFFER", "entry"}},
		{"transform", []string{"AI_AGENT_NODE:OPENAI_NODE", "FLOW_NODE:MERGE"}, []string{"TRIGGER_NODE:TRIGGER_EMAIL", "MEMORY_NODE:MEMORY_BUFFER"}},
	} {
		ids := all(tc.giver)
		for _, id := range tc.takes {
			if !ids[id] {
				t.Errorf("%s does not fit %s", tc.giver, id)
			}
		}
		for _, id := range tc.never {
			if ids[id] {
				t.Errorf("%s fits %s", tc.giver, id)
			}
		}
	}
}

// One graph of the pack's nodes with every kind of connection is valid; each slip in it is
// reported with a fix or the ports there are.
func TestWorkflowOfPackNodes(t *testing.T) {
	pb := openedWith(t, "builtin:workflow")
	const graph = `nodes:
  - {id: chat, type: TRIGGER_NODE, subtype: TRIGGER_CHAT, next: agent}
  - {id: orders, type: TOOL_NODE, subtype: HTTP, parameters: {name: orders, description: Finds orders, base_url: "https://shop.example/api/"}, next: {node: agent, port: tools}}
  - {id: memory, type: MEMORY_NODE, subtype: MEMORY_BUFFER, parameters: {session_key: input.session_id}, next: agent}
  - {id: agent, type: AI_AGENT_NODE, subtype: OPENAI_NODE, parameters: {model: gpt-4o, prompt: "{{ message }}"}, next: {main: sure, error: alert}}
  - {id: sure, type: FLOW_NODE, subtype: IF, parameters: {condition: input.answer != null}, next: {"true": {node: both, port: a}, "false": ask}}
  - {id: ask, type: HUMAN_LOOP_NODE, subtype: HUMAN_SLACK, parameters: {channel: "#help", message: Please answer}, next: {confirmed: {node: both, port: b}, timeout: alert}}
  - {id: both, type: FLOW_NODE, subtype: MERGE, next: send}
  - {id: send, type: EXTERNAL_ACTION_NODE, subtype: EXTERNAL_SLACK, parameters: {channel: "#help", text: "{{ answer }}"}}
  - {id: alert, type: EXTERNAL_ACTION_NODE, subtype: EXTERNAL_EMAIL, parameters: {to: ops@shop.example, subject: Failed, body: See the log}}
`
	for _, tc := range []struct{ old, new, want string }{
		{"", "", ""},
		{"https://shop.example/api/", "shop.example/api/", "is not of type url"},
		{"ops@shop.example", "ops", "is not of type email"},
		{"next: {node: agent, port: tools}", "next: {node: agent, port: memory}", "does not fit the input port \"memory\" of \"agent\": the output has the type AI_TOOL, the input takes AI_MEMORY"},
		{"{node: both, port: b}", "{node: both, port: a}", "2 connections lead to the input port \"a\" of \"both\", which takes 1"},
		{"confirmed: {node: both, port: b}", "confirmed: send", "nothing leads to the input port \"b\" of \"both\""},
	} {
		r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", strings.Replace(graph, tc.old, tc.new, 1), "")})
		if fault != nil {
			t.Fatal(fault)
		}
		if tc.want == "" {
			if len(r.Errors) > 0 || !slices.ContainsFunc(r.Notes, func(d *diag.Diagnostic) bool { return d.Code == "error-to-main" }) || !strings.Contains(r.Flow, "sure [true to a] -> both") {
				t.Errorf("errors %v, notes %v, flow\n%s", r.Errors, r.Notes, r.Flow)
			}
			continue
		}
		if len(r.Errors) == 0 || !strings.Contains(r.Errors[0].Message, tc.want) {
			t.Errorf("%s: %v", tc.new, r.Errors)
		}
	}
}

// The workflow in the documentation is valid, and its flow has the line that is quoted.
func TestWorkflowOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```text\n")
	graph, _, _ := strings.Cut(rest, "```")
	r, fault := openedWith(t, "builtin:workflow").Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", graph, "")})
	if fault != nil || len(r.Errors)+len(r.Warnings) > 0 || !strings.Contains(r.Flow, "agent [main to main] -> post") {
		t.Errorf("%v\n%+v", fault, r)
	}
}

// A graph with nodes of the pack names it while it is off, and is read in any spelling of
// the types while it is on.
func TestTypesOfPacksInGraphs(t *testing.T) {
	const graph = "nodes:\n  - {id: start, type: trigger node, subtype: TRIGGER_MANUAL, next: check}\n  - {id: check, type: FLOW, subtype: IF, parameters: {condition: input.ok}}\n"
	for _, tc := range []struct {
		packs []string
		hint  string
	}{
		{nil, "the knowledge pack builtin:workflow has it: switch it on"},
		{[]string{"builtin:workflow"}, "did you mean "},
	} {
		r, fault := openedWith(t, tc.packs...).Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", graph, ""), ApplyFixes: true})
		if fault != nil {
			t.Fatal(fault)
		}
		if len(tc.packs) > 0 {
			if !r.Valid || !strings.Contains(string(r.FixedGraph), "TRIGGER_NODE") || !strings.Contains(string(r.FixedGraph), "FLOW_NODE") {
				t.Errorf("%+v", r)
			}
			continue
		}
		if len(r.Errors) != 2 || !strings.HasPrefix(r.Errors[0].Hint, tc.hint) || !strings.HasPrefix(r.Errors[1].Hint, tc.hint) {
			t.Errorf("%v", r.Errors)
		}
	}
}
