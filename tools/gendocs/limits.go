package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/run"
)

// limitsPage lists the bounds of documents and runs, with the constants that the
// program uses.
func limitsPage() string {
	w := newPage("Limits", "A limit that is exceeded is an error that names it. A document may ask for other limits of its runs by `executionLimits`, up to the operator's ceiling: "+
		"`limits` in [patchbay.yaml](settings.md). Limits of one expression are in [Expressions](../expressions.md#limits).")
	said, most := run.DefaultLimits, run.DefaultCeiling
	w.head("what", "default", "ceiling unless configured", "key")
	w.row("node executions of a run, where each item of a `foreach` and each step of a nested graph counts", number(said.MaxNodeExecutions), number(most.MaxNodeExecutions), "`maxNodeExecutions`")
	w.row("time of a run; it starts again when a parked run resumes", duration(said.MaxExecutionTime), duration(most.MaxExecutionTime), "`maxExecutionTimeMs`")
	w.row("a result, and each node's output, as JSON", bytesOf(int64(said.MaxResultBytes)), bytesOf(int64(most.MaxResultBytes)), "`maxResultBytes`")
	w.row("all outputs of a run together", bytesOf(int64(said.MaxTraceBytes)), bytesOf(int64(most.MaxTraceBytes)), "`maxTraceBytes`")
	w.line("\nOnly the operator can change these:\n")
	w.head("what", "default", "key in patchbay.yaml")
	w.row("runs at the same time", number(runs.DefaultMaxRuns), "`limits.maxRuns`")
	w.row("runs that wait for their turn", number(runs.DefaultMaxQueued), "`limits.maxQueuedRuns`")
	w.row("time of one call of a downstream server", duration(downstream.DefaultCallTimeout), "`limits.maxCallTimeMs`")
	w.row("memory of the process; checks and evaluations reserve their share first", "half of what the machine, its control group and `ulimit -v` allow", "`limits.memoryMB`")
	w.row("all inputs and outputs of the runs in progress, as JSON; runs that keep less than "+bytesOf(admission.Step)+" do not wait for them", "half of that memory", "`limits.memoryMB`")
	w.row("sessions at the same time, over HTTP", number(mcpserver.DefaultMaxSessions), "`serve.maxSessions`")
	w.row("connections at the same time", number(httpd.DefaultMaxConnections), "`serve.maxConnections`")
	w.row("time for the body of a request to arrive", duration(httpd.DefaultBodyTimeout), "`serve.bodyTimeoutMs`")
	w.row("age of stored runs", fmt.Sprintf("%d days", config.DefaultKeep/(24*time.Hour)), "`runs.keepDays`")
	w.row("size of stored runs", bytesOf(config.DefaultKeepBytes), "`runs.keepMB`")
	w.row("saved graphs that are tools without `expose: true`", number(config.DefaultExposeMax), "`exposeMax`")
	w.row("time of an `http` node's request", duration(egress.DefaultTimeout), "`egress.timeoutMs`")
	w.row("body of a response to it", bytesOf(egress.DefaultMaxBytes), "`egress.maxBytes`")
	w.line("\nThese cannot be changed:\n")
	w.head("what", "limit")
	w.row("text of a document", bytesOf(graph.MaxBytes))
	w.row("nodes of a graph", number(engine.MaxNodes))
	w.row("graphs that call graphs", number(engine.MaxGraphDepth)+" deep")
	w.row("items of a `foreach`, or branches of a `parallel`, at the same time", number(engine.MaxConcurrency))
	w.row("`maxAttempts` of a `retry`, and its `factor`", fmt.Sprintf("%d, and %d", engine.MaxAttempts, engine.MaxFactor))
	w.row("drafts; the oldest make room for further ones", fmt.Sprintf("%s, with %s of text together, for %s", number(plans.MaxDrafts), bytesOf(plans.MaxDraftText), duration(plans.DraftLifetime)))
	w.row("cases of one `run_graph`, and tests that are kept with a saved graph", number(plans.MaxCases))
	w.row("a case, with what its calls returned, that becomes a test", bytesOf(execution.MaxPassedCase))
	w.row("revisions of a saved graph", number(plans.MaxRevisions))
	w.row("stopped runs that `--store memory` keeps", fmt.Sprintf("%s, with %s together", number(journal.DefaultMaxRuns), bytesOf(journal.DefaultMaxRunBytes)))
	w.row("body of a request over HTTP", bytesOf(httpd.MaxBody))
	w.row("one message of a downstream server", bytesOf(transport.MaxMessage))
	w.row("nodes of one `get_node_details`", number(discover.MaxDetails))
	w.row("results of one `search_nodes`", number(discover.MaxSearchResults))
	w.row("characters of a node's id", number(engine.MaxID))
	w.row("a reply over MCP, apart from the result of a run and the text of a graph; more is cut, and `shortened` says so", diag.Bytes(mcpserver.MaxReply))
	w.row("lists and maps inside each other", number(graph.MaxDepth))
	return w.page()
}

// number groups the digits of a number.
func number(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", number(n/1000), n%1000)
}

func bytesOf(n int64) string {
	if n >= 1<<30 && n%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

func duration(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "1 hour"
	case d >= time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d == time.Minute:
		return "1 minute"
	case d >= time.Minute:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}
