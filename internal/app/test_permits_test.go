package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// A test file permits no call, whatever it answers: a destructive tool is called for a saved
// graph for which a person answers, and for no other document that the file brings.
func TestATestPermitsNothing(t *testing.T) {
	const answered = `- {calls: any, arguments: {path: a}, result: {path: a}, answer: {action: accept}}`
	const plain = `- {calls: any, arguments: {path: a}, result: {path: a}}`
	inline, _ := json.Marshal(calling("delete"))
	for _, c := range []struct {
		name, tool, cases, code  string
		foreign, elsewhere, asks bool
		brought                  bool // the file of tests is in another folder than the saved graph
	}{
		{name: "of the user's own folder", tool: "delete", cases: plain},
		{name: "with an answer to no question", tool: "delete", cases: answered, code: "test-failed"},
		{name: "came with its folder", tool: "delete", cases: plain, code: "needs-permission", foreign: true},
		{name: "came with its folder and answers", tool: "delete", cases: answered, code: "needs-permission", foreign: true},
		{name: "not saved", tool: "delete", cases: plain, code: "needs-permission", elsewhere: true},
		{name: "not saved, not destructive", tool: "write", cases: plain, elsewhere: true},
		{name: "of a saved graph, from elsewhere", tool: "delete", cases: `- {calls: any, graph: calling, arguments: {path: a}, result: {path: a}}`, code: "needs-permission", brought: true},
		{name: "of a saved graph, from elsewhere, with an answer", tool: "delete", cases: `- {calls: any, graph: calling, arguments: {path: a}, result: {path: a}, answer: {action: accept}}`, code: "needs-permission", brought: true},
		{name: "of a saved graph, from elsewhere, not destructive", tool: "write", cases: `- {calls: any, graph: calling, arguments: {path: a}, result: {path: a}}`, brought: true},
		{name: "in the test", tool: "delete", cases: `- {calls: any, arguments: {path: a}, result: {path: a}, document: ` + string(inline) + `}`, code: "needs-permission"},
		{name: "asked about by the configuration", tool: "write", cases: answered, code: "needs-permission", asks: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := newHinted(), t.TempDir()
			writeGraph(t, dir, "calling", calling(c.tool))
			o := app.Options{}
			if c.asks {
				o.Calls = config.Calls{Confirm: []string{"files/*"}}
			}
			folder := dir
			if c.elsewhere {
				folder = t.TempDir()
			}
			graphs, err := graphfiles.OpenGraphs(folder)
			if err != nil {
				t.Fatal(err)
			}
			graphs.UseApprovals(graphfiles.Approvals{File: filepath.Join(t.TempDir(), "graphs.json"), Foreign: c.foreign})
			o.Graphs = graphs
			pb := overWith(t, o, nil, h.server)
			tests := dir
			if c.brought {
				tests = t.TempDir()
			}
			r := pb.Tests.Run(operator(t), execution.TestInput{Name: filepath.Join(tests, "calling.test.yaml"), Text: c.cases, Read: func(path string) (string, error) {
				b, err := os.ReadFile(path)
				return string(b), err
			}})[0]
			if code := doubtCode(&execution.RunResult{}, r.Error); code != c.code || r.Passed != (c.code == "") {
				t.Errorf("%q, %v %+v", code, r.Error, r.Differences)
			}
			if c.code == "needs-permission" && (h.calls[c.tool].Load() > 0 || !strings.Contains(r.Error.Hint, "calls.allow") || strings.Contains(r.Error.Hint, "answer")) {
				t.Errorf("%d calls, %+v", h.calls[c.tool].Load(), r.Error)
			}
		})
	}
}
