package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// The tests of a workflow run on the text in its file, or on one that is not saved yet.
func TestWorkflowTests(t *testing.T) {
	dir := t.TempDir()
	files, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	const text = `name: block
description: Blocks all calls
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: check}
  - {id: check, type: hook, hook: {expr: '{"continue": false, "error": {"code": "NO", "message": "never"}}'}, next: call}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`
	const tests = `- name: blocked
  arguments: {request: {method: tools/call, params: {name: read, arguments: {}}}, metadata: {}}
  pins: {call: {response: {content: []}}}
  error: hook-blocked
`
	for name, content := range map[string]string{"block.yaml": text, "block.test.yaml": tests, "other.yaml": strings.Replace(text, "block", "other", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pb := New(Options{WorkflowFiles: files})
	t.Cleanup(pb.Close)
	for _, c := range []struct {
		in             around.TestWorkflowsInput
		passed, failed int
		fault          string
	}{
		{in: around.TestWorkflowsInput{}, passed: 1},
		{in: around.TestWorkflowsInput{Names: []string{"block"}}, passed: 1},
		{in: around.TestWorkflowsInput{Names: []string{"block"}, Text: strings.Replace(text, `"continue": false`, `"continue": true`, 1)}, failed: 1},
		{in: around.TestWorkflowsInput{Names: []string{"other"}}, fault: "no-tests"},
		{in: around.TestWorkflowsInput{Names: []string{"../block"}}, fault: "unknown-workflow"},
		{in: around.TestWorkflowsInput{Text: text}, fault: "bad-argument"},
	} {
		r, fault := pb.TestWorkflows(t.Context(), c.in)
		switch {
		case fault != nil && fault.Code != c.fault:
			t.Errorf("%v: %v", c.in.Names, fault)
		case fault == nil && (c.fault != "" || r.Passed != c.passed || r.Failed != c.failed):
			t.Errorf("%v: %+v, want %d passed and %d failed %s; %v", c.in.Names, r, c.passed, c.failed, c.fault, r.Tests[0].Error)
		}
	}
}
