// Package execution has runs: their start, their records, tests and cases, questions, schedules and webhooks.
package execution

import (
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/process"
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

	Passed       *passedCases
	hooks        run.Caller                                           // executes scripts
	around       func(mode string, next, hooks run.Caller) run.Caller // runs workflows in front of next
	Runner       runs.Runner
	RunChanges   runChanges
	Watchers     watchers
	Debuggers    debuggers
	Links        answerLinks
	received     *cache.Cache[Delivery, bool]        // by webhooks, the latest
	Scheduler    atomic.Pointer[schedules.Scheduler] // nil unless it runs
	Memory       Memory
	RecoverDelay time.Duration
	recovers     atomic.Bool   // runs are resumed
	slow         time.Duration // calls that take as long are logged; 0 logs none
	Audit        *audit.Log    // nil: none
}

// executionOptions are the parts of an execution.
type Options struct {
	CasesIn  string // directory that shares the cases that passed with later processes; "" keeps them in memory
	SlowCall time.Duration
	Audit    *audit.Log
	Hooks    run.Caller                                           // executes scripts
	Around   func(mode string, next, hooks run.Caller) run.Caller // runs workflows around the calls of a run, in front of next; hooks executes scripts
}

// New returns an Execution.
func New(proc *process.Process, rules *policy.Policy, gateway *servers.Gateway, built *plans.Plans, found *discover.Discovery, o Options) *Execution {
	ex := &Execution{process: proc, policy: rules, servers: gateway, plans: built, discover: found}
	ex.slow, ex.Audit, ex.hooks, ex.RecoverDelay = o.SlowCall, o.Audit, o.Hooks, RecoverDelay
	ex.Passed, ex.around = newPassedCases(o.CasesIn), o.Around
	ex.received, ex.Links.notified = cache.New[Delivery, bool](maxDeliveries), cache.New[string, bool](maxNotified)
	return ex
}
