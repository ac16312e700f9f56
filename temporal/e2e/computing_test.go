package e2e_test

import (
	"context"
	"testing"
	"time"
)

// computing computes for long between its calls: more than a workflow task may in each turn
// of its loop, and more than an execution of a workflow may in two.
const computing = `name: computing
inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '$item + $sum($map([1..500000], function($x){$x * 2}))'}, foreach: {items: [1, 2, 3, 4], concurrency: 2}, next: note}
  - {id: note, type: mcp, server: counter, tool: note, args: {n: {expr: '($.note.n ?? 0) + $sum($.work) - 4 * 250000500000 - 9'}}, next: more}
  - id: more
    type: switch
    conditions:
      - {rule: {"<": [{var: $.note.n}, {var: $.entry.n}]}, next: work}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"n": $.note.n}'}}
`

// A run that computes much continues at another worker, in several executions of its
// workflow.
func TestKillWhileARunComputes(t *testing.T) {
	const total = 8
	s := newSite(t, computing)
	done := s.run("n=8")
	first := s.work()
	s.until("3 calls", func() bool { return len(s.calls()) >= 3 })
	s.kill(first)
	s.work()
	o := <-done
	if o.Status != "succeeded" || o.Result.N != total {
		t.Fatalf("%s %+v %s", o.Status, o.Result, o.Error)
	}
	c := s.audit(o.RunID)
	if c.made != total || c.again > 1 {
		t.Errorf("%d calls, and %d made again", c.made, c.again)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	executions, tasks := 0, 0
	client := s.dial(ctx)
	for execution := s.events(ctx, client, o.RunID, "")[0].GetWorkflowExecutionStartedEventAttributes().GetFirstExecutionRunId(); execution != ""; executions++ {
		events := s.events(ctx, client, o.RunID, execution)
		execution = events[len(events)-1].GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
		for _, e := range events {
			if e.GetWorkflowTaskCompletedEventAttributes() != nil {
				tasks++
			}
			if f := e.GetWorkflowTaskFailedEventAttributes(); f != nil {
				t.Errorf("a task failed: %v", f)
			}
		}
	}
	t.Logf("%d executions, %d tasks", executions, tasks)
	if executions < 3 || tasks <= 2*total {
		t.Errorf("%d executions with %d tasks", executions, tasks)
	}
	s.record("killed: the only worker, while a run computes for long between its calls; then another one starts", c, "succeeded")
}
