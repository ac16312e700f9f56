package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Examine implements [runs.Remote].
func (r *Runner) Examine(ctx context.Context) []runs.Finding {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if _, err := r.client.GetSearchAttributes(ctx); err != nil {
		f := r.fault("", err)
		return []runs.Finding{{What: f.Message, Hint: f.Hint}}
	}
	found := []runs.Finding{{OK: true, What: fmt.Sprintf("Temporal at %s, namespace %s", r.t.Address, r.t.Namespace)}}
	if _, err := r.client.DescribeWorkflowExecution(ctx, "run_", ""); err != nil {
		if f := r.fault("run_", err); f.Code != runs.CodeUnknownRun {
			return []runs.Finding{{What: f.Message, Hint: f.Hint}}
		}
	}
	if !r.indexed() {
		found = append(found, runs.Finding{OK: true, What: "the namespace does not know the search attributes of runs: lists are slower", Hint: createAttributes(r.t.Namespace)})
	}
	for _, q := range []struct {
		name, only string
		kind       enumspb.TaskQueueType
	}{
		{r.t.TaskQueue, "runs", enumspb.TASK_QUEUE_TYPE_WORKFLOW},
		{wire.CallQueue(r.t.TaskQueue), "calls", enumspb.TASK_QUEUE_TYPE_ACTIVITY},
	} {
		found = append(found, r.workers(ctx, q.name, q.only, q.kind))
	}
	if r.t.Deployment.Enabled {
		found = append(found, r.versions(ctx))
	}
	if r.blobs != nil {
		found = append(found, r.values(ctx))
	}
	return append(found, r.inFlight())
}

// values says whether large values can be stored.
func (r *Runner) values(ctx context.Context) runs.Finding {
	where, err := r.blobs(ctx)
	if err != nil {
		return runs.Finding{What: fmt.Sprintf("large values cannot be kept in %s: %v", where, err), Hint: "correct runtime.temporal.blobs: runs wait or fail when they have a value of more than 256 kB"}
	}
	return runs.Finding{OK: true, What: "large values are kept in " + where + ": written, read and deleted one"}
}

// workers says whether workers poll a task queue.
func (r *Runner) workers(ctx context.Context, queue, only string, kind enumspb.TaskQueueType) runs.Finding {
	d, err := r.client.DescribeTaskQueue(ctx, queue, kind)
	if err != nil {
		return runs.Finding{What: fmt.Sprintf("the task queue %s cannot be looked at: %v", queue, err)}
	}
	n := len(d.GetPollers())
	if n == 0 {
		return runs.Finding{What: "no worker of the task queue " + queue, Hint: "start one: patchbay-temporal worker, or worker --only " + only}
	}
	return runs.Finding{OK: true, What: fmt.Sprintf("task queue %s: %s", queue, counted(n, "worker"))}
}

// inFlight says which graphs runs are in progress of.
func (r *Runner) inFlight() runs.Finding {
	graphs := map[string]int{}
	total := 0
	fault := r.each(run.Filter{Actor: operator, Project: r.o.Project}, func(now *look) bool {
		if now.open {
			graphs[now.Graph]++
			total++
		}
		return true
	})
	if fault != nil {
		return runs.Finding{What: fault.Message, Hint: fault.Hint}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		list = append(list, fmt.Sprintf("%s (%d)", name, graphs[name]))
	}
	what := counted(total, "run") + " in progress"
	if total > 0 {
		what += ": " + strings.Join(list, ", ")
	}
	return runs.Finding{OK: true, What: what}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
