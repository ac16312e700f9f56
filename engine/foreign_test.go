package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

const workflow = `nodes:
  - {id: chat, type: TRIGGER_NODE, subtype: CHAT, next: [assistant, log]}
  - {id: lookup, type: TOOL_NODE, subtype: LOOKUP, next: {node: assistant, port: tools}}
  - {id: assistant, type: AGENT_NODE, subtype: ASSISTANT, next: {main: {node: log, port: main}, error: failed}}
  - {id: log, type: ACTION_NODE, subtype: LOG}
  - {id: failed, type: ACTION_NODE, subtype: LOG}
`

// TestPicturesShowPorts draws a workflow of another system with the ports that its text
// names.
func TestPicturesShowPorts(t *testing.T) {
	doc, _ := graph.Parse("g", workflow)
	plan, found := engine.Compile(doc, "", engine.Env{Packs: described{}})
	if found.HasErrors() {
		t.Fatal(diag.Format("g", workflow, found))
	}
	want := []string{
		"chat(CHAT) -> assistant(ASSISTANT)", "lookup(LOOKUP)", "chat -> log(LOG)",
		"assistant [main to main] -> log", "assistant [error] -> failed(LOG)", "lookup [to tools] -> assistant",
	}
	if d := cmp.Diff(want, strings.Split(plan.Flow(), "\n")); d != "" {
		t.Error(d)
	}
	for _, line := range []string{"n1 -->|to tools| n2", "n2 -->|main to main| n3", "n0 --> n2", "n0 --> n3"} {
		if !strings.Contains(plan.Mermaid(), line) {
			t.Errorf("no %s in\n%s", line, plan.Mermaid())
		}
	}
	if line := `n2 -> n3 [label="main to main"]`; !strings.Contains(plan.Dot(), line) {
		t.Errorf("no %s in\n%s", line, plan.Dot())
	}
}

// TestPortsOfConnections is what the checker says of one connection or another.
func TestPortsOfConnections(t *testing.T) {
	for _, tc := range []struct {
		name, old, new string
		want           []string // code: message of what is not a note, and of error-to-main
	}{
		{"as it is", "", "", []string{`error-to-main: the output port "error" of "assistant" leads to the input port "main" of "failed"; an error output may lead to a main input, whose node then handles the error`}},
		{"a tool finds its port", "next: {node: assistant, port: tools}", "next: assistant", []string{"error-to-main: "}},
		{"a tool into the main input", "port: tools", "port: main", []string{`incompatible-ports: the output port "tool" of "lookup" does not fit the input port "main" of "assistant": the output has the type AI_TOOL, the input takes MAIN`, "error-to-main: "}},
		{"a tool into a node without a port for it", "next: {node: assistant, port: tools}", "next: log", []string{`incompatible-ports: the output port "tool" of "lookup" does not fit the input port "main" of "log": the output has`, "error-to-main: "}},
		{"no input port of the name", "port: tools", "port: tool", []string{`unknown-port: AGENT_NODE:ASSISTANT has no input port "tool"`, "error-to-main: "}},
		{"no connection to a required input", "[assistant, log]", "log", []string{`unconnected-port: nothing leads to the input port "main" of "assistant", which is required`, "error-to-main: "}},
		{"the data lacks a field", "subtype: CHAT, next: [assistant, log]", "subtype: CRON, next: [assistant, log]", []string{`incompatible-ports: the output port "main" of "chat" does not fit the input port "main" of "assistant": the input needs the field "message", which the output does not have`, "error-to-main: "}},
		{"two connections where one is taken", "[assistant, log]", "[assistant, {node: assistant, port: main}]", []string{`too-many-connections: 2 connections lead to the input port "main" of "assistant", which takes 1`, "error-to-main: "}},
		{"back to a trigger", "error: failed", "error: chat", []string{`incompatible-ports: "chat" cannot be connected: TRIGGER_NODE:CHAT has no input port`, `unconnected-port: nothing leads to the input port "main" of "failed", which is required`}},
		{"from a node that runs here", "  - {id: lookup,", "  - {id: own, type: transform, transform: {expr: '1'}, next: log}\n  - {id: lookup,", []string{"error-to-main: "}},
		{"a port of a node that runs here", "error: failed}", "error: {node: own, port: inptu}}}\n  - {id: own, type: transform, transform: {expr: '1'}, next: failed", []string{`unknown-port: transform has no input port "inptu"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, list := graph.Parse("g", strings.Replace(workflow, tc.old, tc.new, 1))
			if list.HasErrors() {
				t.Fatal(list)
			}
			_, found := engine.Compile(doc, "", engine.Env{Packs: described{}})
			var got []string
			for _, d := range found {
				if d.Severity != diag.Note || d.Code == "error-to-main" {
					got = append(got, d.Code+": "+d.Message)
				}
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %q", got)
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}
