// Record makes the golden histories of package walk: it executes runs on a server of
// Temporal, such as temporal server start-dev, and writes their histories into a folder:
//
//	go run ./walk/record 127.0.0.1:7233 default walk/testdata
//
// Histories that are there already stay: they are those of earlier versions, whose runs
// may still be in flight.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// scenes are graphs by the name of their histories. The tool put must not be repeated, the
// tool read may be; put fails once where its argument says so.
var scenes = map[string]string{
	"loop": `nodes:
  - {id: entry, type: entry, next: n}
  - {id: n, type: mcp, server: s, tool: put, args: {n: {expr: '$executionCount("n") + 1'}}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.n.n}, 12]}, next: n}], next: keys}
  - {id: keys, type: transform, transform: {expr: '{"keys": $keys({"b": $random(), "a": $millis()}), "sum": $sum([$nodeExecutions("n").n])}'}, next: exit}
  - {id: exit, type: exit}
`,
	"together": `nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: s, tool: read, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..9]'}, concurrency: 3}, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: mcp, server: s, tool: put, args: {n: 1}, timeoutMs: 60000, next: exit}
  - {id: right, type: wait, ms: 30, next: exit}
  - {id: exit, type: exit}
`,
	"asks": `nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: mcp, server: s, tool: read, args: {fails: true}, retry: {maxAttempts: 3, initialMs: 10}, next: ask}
  - {id: ask, type: ask, message: Sure?, next: exit}
  - {id: exit, type: exit}
`,
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: record ADDRESS NAMESPACE FOLDER")
		os.Exit(2)
	}
	if err := record(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func record(address, namespace, dir string) error {
	c, err := client.Dial(client.Options{HostPort: address, Namespace: namespace})
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, "runs", walk.WorkerOptions())
	walk.New(&walk.Options{MaxEvents: 50}).Register(w)
	a := worker.New(c, wire.CallQueue("runs"), worker.Options{})
	(&walk.Calls{Caller: func(context.Context, *wire.CallRequest) run.Caller { return &tools{} }, Client: c}).Register(a)
	for _, start := range []func() error{w.Start, a.Start} {
		if err := start(); err != nil {
			return err
		}
	}
	defer w.Stop()
	defer a.Stop()
	for name, text := range scenes {
		if err := play(c, dir, name, text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// play executes a run, answers what it asks, and writes the history of each execution of
// its workflow.
func play(c client.Client, dir, name, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	doc, _ := graph.Parse(name+".yaml", text)
	plan, found := engine.Compile(doc, "", engine.Env{Tools: &tools{}})
	if plan == nil {
		return errors.New(found[0].Message)
	}
	pinned, err := wire.Pin(ctx, plan, run.Limits{}, nil)
	if err != nil {
		return err
	}
	in := wire.NewInput(plan, pinned, json.RawMessage(`{}`), run.Options{ID: "run_" + name}, time.Now().UTC())
	in.Queue = "runs"
	r, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: in.Record.ID, TaskQueue: in.Queue, WorkflowTaskTimeout: walk.TaskTimeout}, wire.Workflow, in)
	if err != nil {
		return err
	}
	first := r.GetRunID()
	if name == "asks" {
		if err := answer(ctx, c, in.Record.ID); err != nil {
			return err
		}
	}
	var out wire.Outcome
	if err := r.Get(ctx, &out); err != nil {
		return err
	}
	if out.Status.Status != run.Succeeded {
		return fmt.Errorf("the run is %s: %s", out.Status.Status, out.Status.Message)
	}
	for n, id := 1, first; id != ""; n++ {
		if id, err = write(ctx, c, filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n)), in.Record.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// answer answers the question of a run when it asks.
func answer(ctx context.Context, c client.Client, id string) error {
	for ctx.Err() == nil {
		v, err := c.QueryWorkflow(ctx, id, "", wire.QueryRecord)
		if err != nil {
			return err
		}
		var rec wire.Record
		if err := v.Get(&rec); err != nil {
			return err
		}
		switch rec.Status {
		case run.Running:
		case run.Interrupted:
			_, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
				WorkflowID: id, UpdateName: wire.UpdateAnswer, WaitForStage: client.WorkflowUpdateStageCompleted,
				Args: []any{wire.Answer{Key: rec.Questions()[0].Key, Answer: json.RawMessage(`{"action":"accept"}`)}},
			})
			return err
		default:
			return fmt.Errorf("the run is %s and has not asked: %w", rec.Status, rec.Fault)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ctx.Err()
}

// write writes the history of one execution, and returns with which it continued.
func write(ctx context.Context, c client.Client, path, id, runID string) (next string, err error) {
	var h history.History
	for events := c.GetWorkflowHistory(ctx, id, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		e, err := events.Next()
		if err != nil {
			return "", err
		}
		h.Events = append(h.Events, e)
		if continued := e.GetWorkflowExecutionContinuedAsNewEventAttributes(); continued != nil {
			next = continued.GetNewExecutionRunId()
		}
	}
	b, err := protojson.Marshal(&h)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return next, nil
	}
	return next, os.WriteFile(path, append(b, '\n'), 0o600)
}

// tools are what the graphs call.
type tools struct{}

func (*tools) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	read := tool == "read"
	return &engine.Tool{Spec: &specs.Spec{NodeType: specs.MCP, Subtype: server + "/" + tool, Annotations: &specs.Annotations{ReadOnly: &read, Trusted: true}}}, nil
}
func (*tools) Names() []string                                  { return nil }
func (*tools) Resolve(string) (server, tool string, known bool) { return "", "", false }

var failed = map[string]bool{}

// CallTool returns the arguments. Where they say so, the first call fails.
func (*tools) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	var args struct {
		Fails bool `json:"fails"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if args.Fails && !failed[c.ID] {
		failed[c.ID] = true
		return nil, errors.New("the connection was lost")
	}
	return &run.Result{Structured: c.Args}, nil
}
