package packs

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/specs"
)

// workflowNodes are the nodes that the pack workflow promises.
var workflowNodes = map[string]string{
	"ACTION_NODE":          "RUN_CODE HTTP_REQUEST PARSE_IMAGE WEB_SEARCH DATABASE_OPERATION FILE_OPERATION DATA_TRANSFORMATION",
	"TRIGGER_NODE":         "TRIGGER_MANUAL TRIGGER_CRON TRIGGER_WEBHOOK TRIGGER_CHAT TRIGGER_EMAIL TRIGGER_FORM TRIGGER_CALENDAR",
	"AI_AGENT_NODE":        "GEMINI_NODE OPENAI_NODE CLAUDE_NODE",
	"FLOW_NODE":            "IF FILTER LOOP MERGE SWITCH WAIT",
	"TOOL_NODE":            "TOOL_GOOGLE_CALENDAR_MCP CALENDAR EMAIL HTTP",
	"MEMORY_NODE":          "MEMORY_VECTOR_STORE MEMORY_SIMPLE MEMORY_DOCUMENT MEMORY_BUFFER MEMORY_KNOWLEDGE MEMORY_EMBEDDING",
	"HUMAN_LOOP_NODE":      "HUMAN_GMAIL HUMAN_SLACK HUMAN_DISCORD HUMAN_TELEGRAM HUMAN_APP",
	"EXTERNAL_ACTION_NODE": "EXTERNAL_GITHUB EXTERNAL_GOOGLE_CALENDAR EXTERNAL_TRELLO EXTERNAL_EMAIL EXTERNAL_SLACK EXTERNAL_API_CALL EXTERNAL_WEBHOOK EXTERNAL_NOTIFICATION",
}

func TestWorkflowPackHasItsNodes(t *testing.T) {
	p, found, err := Load("builtin:workflow")
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	got, want := map[string][]string{}, map[string][]string{}
	for _, s := range p.Specs {
		got[s.NodeType] = append(got[s.NodeType], s.Subtype)
	}
	for nodeType, subtypes := range workflowNodes {
		want[nodeType] = slices.Sorted(slices.Values(strings.Fields(subtypes)))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := len(p.Specs); n != 46 || len(p.NodeTypes) != 8 {
		t.Errorf("%d nodes of %d types", n, len(p.NodeTypes))
	}
}

// TestWorkflowPackIsUseful holds each node to what an agent needs of it.
func TestWorkflowPackIsUseful(t *testing.T) {
	p, _, err := Load("builtin:workflow")
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]int{}
	for _, s := range p.Specs {
		for _, part := range []struct {
			name string
			ok   bool
		}{
			{"a title", s.Title != ""},
			{"one sentence", strings.HasSuffix(s.Description, ".") && strings.Count(s.Description, ". ") == 0},
			{"intents", len(s.Intents) > 0},
			{"two parameters", len(s.Parameters) >= 2},
			{"an output", len(s.OutputPorts) > 0},
			{"an example", len(s.Examples) > 0},
			{"a skeleton", len(s.Skeleton) > 0},
			{"no run here", s.NotRunnable},
		} {
			if !part.ok {
				t.Errorf("%s lacks %s", s.ID(), part.name)
			}
		}
		for _, param := range s.Parameters {
			uses[param.Type]++
			if param.Description == "" {
				t.Errorf("%s: parameter %s is not described", s.ID(), param.Name)
			}
		}
		for _, port := range slices.Concat(s.InputPorts, s.OutputPorts) {
			if port.Description == "" || port.DataFormat == nil && !strings.HasPrefix(port.Type, "AI_") {
				t.Errorf("%s: port %s is not described", s.ID(), port.Name)
			}
		}
		if starts := s.NodeType == "TRIGGER_NODE"; starts && len(s.InputPorts) > 0 {
			t.Errorf("%s starts a workflow and has an input", s.ID())
		}
	}
	for _, typ := range []string{"string", "integer", "float", "boolean", "enum", "json", "file", "url", "email", "cron"} {
		if uses[typ] == 0 {
			t.Errorf("no parameter has the type %s: %v", typ, slices.Sorted(maps.Keys(uses)))
		}
	}
}

// Each skeleton is a node that names itself and has a value for every required parameter.
func TestSkeletons(t *testing.T) {
	p, _, err := Load("builtin:workflow")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ id, want string }{
		{"FLOW_NODE:IF", `{"id":"if","type":"FLOW_NODE","subtype":"IF","parameters":{"condition":"input.total > 1000"},"next":{"true":"<node>","false":"<node>"}}`},
		{"TRIGGER_NODE:TRIGGER_CRON", `{"id":"trigger_cron","type":"TRIGGER_NODE","subtype":"TRIGGER_CRON","parameters":{"cron_expression":"0 7 * * 1-5"},"next":"<node>"}`},
		{"ACTION_NODE:HTTP_REQUEST", `{"id":"http_request","type":"ACTION_NODE","subtype":"HTTP_REQUEST","parameters":{"method":"GET","url":"https://rates.example/latest"},"next":{"main":"<node>","error":"<node>"}}`},
		{"TOOL_NODE:CALENDAR", `{"id":"calendar","type":"TOOL_NODE","subtype":"CALENDAR","parameters":{"calendar":"practice"},"next":"<node>"}`},
	} {
		i := slices.IndexFunc(p.Specs, func(s *specs.Spec) bool { return s.ID() == tc.id })
		if got := string(p.Specs[i].Skeleton); got != tc.want {
			t.Errorf("%s\ngot  %s\nwant %s", tc.id, got, tc.want)
		}
	}
}

func TestNoSuchBuiltinPack(t *testing.T) {
	if _, _, err := Load("builtin:workflows"); err == nil || !strings.Contains(err.Error(), `no built-in knowledge pack "workflows"; the built-in ones are workflow`) {
		t.Error(err)
	}
}
