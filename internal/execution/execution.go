// Package execution has runs: their start, their records, tests and cases, questions,
// schedules and webhooks.
package execution

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/run"
)

// An Execution runs graphs. [New] returns one.
type Execution struct {
	process  *process.Process
	policy   *policy.Policy
	servers  *servers.Gateway
	plans    *plans.Plans
	discover *discover.Discovery

	Hooks  run.Caller                                           // executes scripts; nil: there are none
	Around func(mode string, next, hooks run.Caller) run.Caller // runs workflows around the calls of a run, in front of next; hooks executes scripts; nil: there are none

	Runner       runs.Runner
	Memory       Memory
	RecoverDelay time.Duration
	recovers     atomic.Bool // runs are resumed

	*Records
	*Storage
	*Debuggers
	RunPlans   runPlans
	Tests      testRuns
	Passed     *passedCases
	Tasks      tasks
	Links      answerLinks
	Webhooks   webhooks
	Completion completion
	Reports    reports
	RunChanges runChanges
	Watchers   watchers
	Scheduler  atomic.Pointer[schedules.Scheduler] // nil unless it runs
}

// Options are the parts of an execution.
type Options struct {
	CasesIn  string // directory that shares the cases that passed with later processes; "" keeps them in memory
	SlowCall time.Duration
	Audit    *audit.Log
}

// New returns an Execution.
func New(proc *process.Process, pol *policy.Policy, gw *servers.Gateway, pl *plans.Plans, disc *discover.Discovery, o Options) *Execution {
	ex := &Execution{process: proc, policy: pol, servers: gw, plans: pl, discover: disc, RecoverDelay: RecoverDelay}
	ex.Records, ex.Storage, ex.Debuggers = &Records{ex}, &Storage{ex}, &Debuggers{execution: ex}
	ex.RunPlans.execution, ex.Tests.execution, ex.Tasks.execution, ex.Completion.execution = ex, ex, ex, ex
	ex.Passed = newPassedCases(o.CasesIn, proc.Project)
	ex.Links.execution, ex.Links.notified = ex, cache.New[string, bool](maxNotified)
	ex.Webhooks.execution, ex.Webhooks.received = ex, cache.New[Delivery, bool](maxDeliveries)
	ex.Reports = reports{execution: ex, slow: o.SlowCall, Audit: o.Audit}
	return ex
}

// maxStarter is how much is kept of the name of what starts a run.
const maxStarter = 100

// Starts are how a run of the actor's is started for a client.
func (ex *Execution) Starts(ctx context.Context, c request.Client) runs.StartOptions {
	who := request.ActorFrom(ctx)
	return runs.StartOptions{Options: run.Options{Operator: who.Operator, Session: ex.policy.Session(ctx), By: diag.Cut(request.ClientName(ctx), maxStarter)}, Principal: who.Principal, Client: c}
}

// RecoverDelay is how long after its first use a server resumes runs: a process that is
// started only to look lives shorter.
const RecoverDelay = 3 * time.Second

// Memory is how much memory the process may take.
type Memory struct {
	Bytes int64
	From  string // what says so, such as "limits.memoryMB"
}

// A Role says what a worker does.
type Role = runs.Role

// Work executes the runs of others as a worker of the runtime, until ctx ends. The App has
// one.
func (ex *Execution) Work(ctx context.Context, r runs.Role) error {
	return ex.Runner.(runs.Remote).Work(ctx, r)
}

// ExamineRuntime says how the runtime stands, for doctor; nothing where runs execute in
// this process.
func (ex *Execution) ExamineRuntime(ctx context.Context) []runs.Finding {
	if remote, ok := ex.Runner.(runs.Remote); ok {
		return remote.Examine(ctx)
	}
	return nil
}
