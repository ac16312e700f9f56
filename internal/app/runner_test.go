package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// gate is a server whose tool hangs until it is let go, or the call cancelled.
type gate struct {
	server    downstream.Server
	entered   chan struct{}
	cancelled chan struct{}
	open      chan struct{}
}

func newGate() *gate {
	g := &gate{entered: make(chan struct{}, 2000), cancelled: make(chan struct{}, 2000), open: make(chan struct{})}
	s := mcp.NewServer(&mcp.Implementation{Name: "gate", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "pass", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		g.entered <- struct{}{}
		select {
		case <-g.open:
		case <-ctx.Done():
			g.cancelled <- struct{}{}
		}
		return &mcp.CallToolResult{StructuredContent: r.Params.Arguments}, nil
	})
	g.server = downstream.Server{Name: "gate", InProcess: s}
	return g
}

const throughTheGate = `
name: through
nodes:
  - {id: entry, type: entry, next: pass}
  - {id: pass, type: mcp, server: gate, tool: pass, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit}
`

func running(pb *app.App, ctx context.Context, src, arguments string) <-chan *execution.RunResult {
	done := make(chan *execution.RunResult, 1)
	go func() {
		r, fault := pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(src)}, Arguments: json.RawMessage(arguments)})
		if r == nil {
			r = &execution.RunResult{Status: "refused", Error: fault}
		}
		done <- r
	}()
	return done
}

// Runs beyond the concurrency limit wait for their turn; beyond that a run
// is refused, and told so. Who waits can be cancelled.
func TestRunsAtOnceAreBounded(t *testing.T) {
	g := newGate()
	pb := overWith(t, app.Options{MaxRuns: 2, MaxQueued: 3}, nil, g.server)
	load := func(wantRunning, wantQueued int) {
		t.Helper()
		for {
			if running, queued := pb.Runner.InFlight(); running == wantRunning && queued == wantQueued {
				return
			}
			runtime.Gosched()
		}
	}
	var done []<-chan *execution.RunResult
	for i := range 4 {
		done = append(done, running(pb, t.Context(), throughTheGate, fmt.Sprintf(`{"n":%d}`, i)))
		load(min(i+1, 2), max(i-1, 0))
	}
	ctx, cancel := context.WithCancel(t.Context())
	impatient := running(pb, ctx, throughTheGate, `{"n":9}`)
	load(2, 3)
	refused := <-running(pb, t.Context(), throughTheGate, `{"n":5}`)
	if refused.Error == nil || refused.Error.Code != "too-many-runs" || refused.Error.Message != "2 runs are in progress and 3 are queued, which is the maximum" || refused.Error.Hint == "" {
		t.Errorf("beyond the queue: %+v", refused.Error)
	}
	cancel()
	if r := <-impatient; r.Error == nil || r.Error.Code != "cancelled" {
		t.Errorf("a cancelled wait: %+v", r.Error)
	}
	load(2, 2)
	close(g.open)
	for i, c := range done {
		if r := <-c; string(r.Result) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("run %d: %s %v %s", i, r.Status, r.Error, r.Result)
		}
	}
	load(0, 0)
	if n := len(g.entered); n != 4 {
		t.Errorf("%d calls, want those of 4 runs", n)
	}
}

// Whoever ends a run, it ends long before what it is doing would, and a server that
// works for it is told.
func TestARunEndsAtOnce(t *testing.T) {
	doing := map[string]string{
		"calling":   throughTheGate,
		"waiting":   "\nnodes:\n  - {id: entry, type: entry, next: w}\n  - {id: w, type: wait, ms: 60000, next: exit}\n  - {id: exit, type: exit}\n",
		"computing": "\nnodes:\n  - {id: entry, type: entry, next: c}\n  - {id: c, type: transform, transform: {expr: '$sum($map([1..5000000], function($x) { $sum($map([1..100], function($y) { $x * $y })) }))'}, next: exit}\n  - {id: exit, type: exit}\n",
	}
	for _, by := range []string{"the client", "cancel_run", "shutdown"} {
		for what, src := range doing {
			t.Run(what+" "+by, func(t *testing.T) {
				t.Parallel()
				endOf(t, what, by, src)
			})
		}
	}
}

// endOf begins a run and ends it.
func endOf(t *testing.T, what, by, src string) {
	t.Helper()
	g := newGate()
	pb := over(t, nil, g.server)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun, id := make(chan struct{}), ""
	var once sync.Once
	done := make(chan *execution.RunResult, 1)
	m := &starts{f: func(wrecked string) { id = wrecked; once.Do(func() { close(begun) }) }}
	go func() {
		r, fault := pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(src)}, Arguments: json.RawMessage(`{"n":1}`), OnEvent: m.hear(pb)})
		if fault != nil {
			r = &execution.RunResult{Error: fault}
		}
		done <- r
	}()
	<-begun // the run has begun
	if what == "calling" {
		<-g.entered // the server is called
	}
	status := run.Cancelled
	switch by {
	case "the client":
		cancel()
	case "cancel_run":
		go func() { _, _ = pb.CancelRun(t.Context(), execution.CancelRunInput{RunID: id}) }()
	case "shutdown":
		status = run.Interrupted
		go pb.Close()
	}
	r := <-done
	if r.Status != string(status) {
		t.Errorf("the run is %s: %v, want %s", r.Status, r.Error, status)
	}
	if what == "calling" {
		<-g.cancelled // the server is told
	}
}

// starts finds the id of a run once its second node has begun.
type starts struct{ f func(wrecked string) }

func (s *starts) hear(pb *app.App) func(run.Event) {
	return func(e run.Event) {
		if e.Index == 1 && !e.Ended {
			s.f(pb.Runner.RunningIDs()[0])
		}
	}
}

const crossTalk = `
name: cross
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: transform, foreach: {items: {expr: '[1..5]'}, concurrency: 2}, transform: {expr: '$item * $.entry.n + $index'}, next: call}
  - {id: call, type: mcp, server: mail, tool: send_email, args: {to: [a], subject: {expr: $string($.entry.n)}, body: {expr: '$string($sum($.each))'}}, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: again}
  - {id: left, type: transform, transform: {expr: '$previousNode().subject & "l"'}, next: again}
  - {id: right, type: transform, transform: {expr: '$.call.body & "r"'}, next: again}
  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("again")'}, 1]}, next: each}], next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.entry.n, "sum": $sum($.each), "left": $.fork.left, "right": $.fork.right, "first": $nodeExecution("call", 0).subject, "times": $executionCount("each")}'}}
`

func crossed(n int) string {
	sum := 15*n + 10
	return fmt.Sprintf(`{"n":%d,"sum":%d,"left":"%dl","right":"%dr","first":"%d","times":2}`, n, sum, n, sum, n)
}

// Concurrent runs of one graph do not see each other: arguments, items,
// branches, history and results are each run's own.
func TestNoCrossTalk(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 200
	}
	pb := overWith(t, app.Options{MaxRuns: runs, Limits: run.Limits{MaxExpressionTime: time.Minute}}, offered) // all share two cores
	var wg sync.WaitGroup
	errs := make(chan error, runs)
	for n := range runs {
		wg.Go(func() {
			r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(crossTalk)}, Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))})
			switch {
			case fault != nil:
				errs <- fault
			case string(r.Result) != crossed(n):
				errs <- fmt.Errorf("run %d: %s %w\n got %s\nwant %s", n, r.Status, errors.Join(r.Error), r.Result, crossed(n))
			}
		})
	}
	wg.Wait()
	close(errs)
	shown := 0
	for err := range errs {
		if shown++; shown <= 3 {
			t.Error(err)
		}
	}
	if shown > 3 {
		t.Errorf("and %d runs more", shown-3)
	}
}

// BenchmarkRunsAtOnce is the memory that a run in progress holds, when 100 and when
// 1,000 are in progress: they hang in a call.
func BenchmarkRunsAtOnce(b *testing.B) {
	for _, runs := range []int{100, 1000} {
		b.Run(strconv.Itoa(runs), func(b *testing.B) {
			held := 0.0
			for b.Loop() {
				g := newGate()
				pb := overWith(b, app.Options{MaxRuns: runs}, nil, g.server)
				var before, during runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				var done []<-chan *execution.RunResult
				for n := range runs {
					done = append(done, running(pb, b.Context(), throughTheGate, fmt.Sprintf(`{"n":%d}`, n)))
				}
				for range runs {
					<-g.entered
				}
				runtime.GC()
				runtime.ReadMemStats(&during)
				held = float64(during.HeapAlloc+during.StackInuse-before.HeapAlloc-before.StackInuse) / float64(runs)
				close(g.open)
				for _, c := range done {
					if r := <-c; r.Error != nil {
						b.Fatal(r.Error)
					}
				}
				pb.Close()
			}
			b.ReportMetric(held, "B/run")
		})
	}
}
