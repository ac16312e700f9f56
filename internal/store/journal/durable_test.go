package journal

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// oneTool is a server with a tool that reads, and one that changes something.
type oneTool struct{ called func() }

func (oneTool) Tool(_, tool string) (*engine.Tool, *diag.Fault) {
	readOnly := tool == "read"
	return &engine.Tool{Spec: &specs.Spec{Annotations: &specs.Annotations{ReadOnly: &readOnly, Trusted: true}}, Input: schema.New([]byte(`{"type":"object"}`))}, nil
}

func (oneTool) Names() []string { return []string{"s/read", "s/write"} }

func (oneTool) Resolve(string) (server, tool string, ok bool) { return "", "", false }

func (o oneTool) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	o.called()
	return &run.Result{Structured: c.Args}, nil
}

// TestWhatARunWaitsFor counts the transactions that a run waits for: none where
// nothing can be lost, one before a call that must not be repeated and one at the end
// of a run that has made one.
func TestWhatARunWaitsFor(t *testing.T) {
	const loop = `
nodes:
  - {id: entry, type: entry, next: count}
  - {id: count, type: transform, transform: {expr: '{"n": $executionCount("count") + 1}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.count.n}, 100]}, next: count}], next: call}
  - {id: call, type: mcp, server: s, tool: TOOL, args: {n: 1}, next: exit}
  - {id: exit, type: exit}
`
	for _, test := range []struct {
		tool                string
		before, after, ends int64
	}{{"read", 0, 0, 0}, {"write", 1, 0, 1}} {
		j := open(t, filepath.Join(t.TempDir(), "runs.db"), nil)
		j.queue.delay = time.Hour // nothing is written unless somebody waits
		var before int64
		tools := oneTool{func() { before = j.writer.commits.Load() }}
		doc, _ := graph.Parse("g.yaml", strings.Replace(loop, "TOOL", test.tool, 1))
		plan, found := engine.Compile(doc, "", engine.Env{Tools: tools})
		if plan == nil {
			t.Fatal(found)
		}
		var after int64
		o := local.Options{Options: run.Options{ID: local.NewID()}, NewRun: true, Journal: j, Observer: local.Observer{Event: func(e run.Event) {
			if e.Node == "exit" && e.Ended {
				after = j.writer.commits.Load()
			}
		}}}
		rec := local.Run(t.Context(), plan, tools, nil, o)
		if rec.Fault != nil {
			t.Fatal(rec.Fault)
		}
		if ends := j.writer.commits.Load() - after; before != test.before || after-before != test.after || ends != test.ends {
			t.Errorf("%s: %d transactions before the call, %d after it, %d at the end", test.tool, before, after-before, ends)
		}
		if kept, err := j.Load(operator, rec.ID); err != nil || kept.Status != run.Succeeded || len(kept.Steps) != len(rec.Steps) {
			t.Errorf("%s: %+v, %v", test.tool, kept, err)
		}
	}
}

// TestProgramsOfFormat1ReadTheFile asks what an earlier program asks that has had the file
// open since before it was upgraded: it finds the runs, and the steps whose outcome does not
// follow from the rest.
func TestProgramsOfFormat1ReadTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := open(t, path, nil)
	r := &run.Record{ID: "run", Status: run.Running, Started: time.Now()}
	err := j.Begin(r, false)
	steps := []*run.StepRecord{
		{Index: 0, Node: "entry", Type: "entry", Key: "entry#0", Pure: true, Ended: 1},
		{Index: 1, Node: "call", Type: "mcp", Key: "call#0", Ended: 2, Output: "x", Call: "id"},
	}
	for _, s := range steps {
		err = errors.Join(err, j.Step("run", *s))
	}
	r.Steps, r.Status = steps, run.Succeeded
	if err := errors.Join(err, j.End(r, true), j.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n, index int
	var id, status, key, output string
	err = errors.Join(
		db.QueryRowContext(t.Context(), "SELECT n, id, status FROM runs WHERE owner = '' AND cancel = 0 AND begun = 1 AND project = ''").Scan(&n, &id, &status),
		db.QueryRowContext(t.Context(), `SELECT at & 4294967295, key, output FROM steps WHERE at >= ? AND at < ? AND caught = 0 AND part = 0 AND pure = 0
			AND attempts = 0 AND ended = 2 AND simulated = '' AND fault IS NULL AND branches IS NULL`, n<<32, (n+1)<<32).Scan(&index, &key, &output),
	)
	if err != nil || id != "run" || status != "succeeded" || index != 1 || key != "call#0" || output != `"x"` {
		t.Errorf("%s %s, step %d %s %s: %v", id, status, index, key, output, err)
	}
}
