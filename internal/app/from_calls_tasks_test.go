package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

// A sampleTask is a sequence of calls as an agent makes them, with what the tools answer.
type sampleTask struct {
	Tools   map[string]json.RawMessage // input schemas, by server/tool
	Outputs map[string]json.RawMessage // output schemas of tools that have one
	Calls   []sampleCall

	made int      // which of the calls was answered last
	sent []string // what the tools were sent
}

type sampleCall struct {
	Tool       string
	Arguments  json.RawMessage
	Structured json.RawMessage
	Text       string
	Error      string
}

func (c *sampleCall) reply() *mcp.CallToolResult {
	switch {
	case c.Error != "":
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: c.Error}}}
	case len(c.Structured) > 0:
		return &mcp.CallToolResult{StructuredContent: c.Structured}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: c.Text}}}
}

func readTask(t *testing.T, text string) *sampleTask {
	t.Helper()
	doc, found := graph.Parse("task", text)
	if doc == nil {
		t.Fatal(found[0].Message)
	}
	task := &sampleTask{}
	if err := json.Unmarshal(doc.Root.JSON(), task); err != nil {
		t.Fatal(err)
	}
	return task
}

func (task *sampleTask) start(t *testing.T) *app.App {
	t.Helper()
	return task.startWith(t, app.Options{})
}

// startWith is a Patchbay over the servers of a task, which give the replies of its calls one
// after the other.
func (task *sampleTask) startWith(t *testing.T, o app.Options) *app.App {
	t.Helper()
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.Graphs = graphs
	servers := map[string]*mcp.Server{}
	for name, schema := range task.Tools {
		server, tool, _ := strings.Cut(name, "/")
		if servers[server] == nil {
			servers[server] = mcp.NewServer(&mcp.Implementation{Name: server, Version: "1"}, nil)
		}
		def := &mcp.Tool{Name: tool, InputSchema: schema}
		if output := task.Outputs[name]; output != nil {
			def.OutputSchema = output
		}
		servers[server].AddTool(def, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			task.made++
			task.sent = append(task.sent, string(r.Params.Arguments))
			return task.Calls[task.made-1].reply(), nil
		})
	}
	return startedOver(t, o, servers)
}

// callFirst makes the first calls of a task, and returns the ids of their runs.
func (task *sampleTask) callFirst(t *testing.T, pb *app.App, n int) (ids []string) {
	t.Helper()
	for _, c := range task.Calls[:n] {
		r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:" + c.Tool, Arguments: c.Arguments})
		if fault != nil || r.Failed() != (c.Error != "") {
			t.Fatalf("%s: %v %+v", c.Tool, fault, r)
		}
		ids = append(ids, r.RunID)
	}
	return ids
}

// From the calls of sample tasks come valid drafts whose calls are those recorded, in at
// most three calls and 6 kB each.
func TestDraftsOfSampleTasks(t *testing.T) {
	files, err := filepath.Glob("testdata/calls/*.yaml")
	if err != nil || len(files) < 18 {
		t.Fatal(len(files), err)
	}
	const maxCalls, maxBytes, least = 3, 6000, 12
	good := 0
	var table strings.Builder
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			task := readTask(t, strings.ReplaceAll(string(text), "LONG", strings.Repeat("It was a dark night, and the mill stood still. ", 400)))
			pb := task.start(t)
			ids := task.callFirst(t, pb, len(task.Calls))
			calls, size := 1, 0
			r, fault := pb.Save(t.Context(), library.SaveInput{As: "task", CallsInput: library.CallsInput{FromCalls: ids, Description: "Does the task again"}})
			if fault != nil {
				t.Fatal(fault)
			}
			size += len(replied(t, r))
			draft := *r
			if r.Status == "draft" && *r.Valid && *r.Proven {
				quoted, _ := json.Marshal(r.Draft)
				if r, fault = pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: quoted}}); fault != nil {
					t.Fatal(fault)
				}
				calls, size = calls+1, size+len(replied(t, r))
			}
			ok := r.Status == "saved" && *draft.Valid && *draft.Proven && calls <= maxCalls && size <= maxBytes
			if ok {
				good++
			}
			fmt.Fprintf(&table, "%-28s valid %-5v proven %-5v ambiguous %d  calls %d  %4d B  %s\n", name, *draft.Valid, *draft.Proven, len(draft.Ambiguous), calls, size, r.Status)
			golden.Check(t, strings.TrimSuffix(file, ".yaml")+".out", shownDraft(t, &draft))
		})
	}
	t.Logf("%d of %d tasks\n%s", good, len(files), table.String())
	if good < least {
		t.Errorf("%d of %d tasks became a saved graph in at most %d calls and %d bytes, want %d", good, len(files), maxCalls, maxBytes, least)
	}
}

// replied is a reply as a client of MCP reads it.
func replied(t *testing.T, r any) []byte {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shownDraft is a draft, and what is said of it.
func shownDraft(t *testing.T, r *library.SaveResult) string {
	t.Helper()
	said := *r
	said.Graph, said.Draft, said.Revision = "", "", ""
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(said); err != nil {
		t.Fatal(err)
	}
	return r.Graph + "---\n" + b.String()
}
