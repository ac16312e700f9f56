package config

import (
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// DefaultServerCalls is how many calls of one server are made at the same time unless the
// operator says otherwise.
const DefaultServerCalls = 64

// Limits are the operator's bounds on every run. Zero means none was set.
type Limits struct {
	run.Limits
	MaxCallTime    time.Duration // of one call of a downstream server
	FixedCallTime  bool          // reports of progress do not renew it
	MaxAnswerTime  time.Duration // that a call waits for the answer to a question of its server
	MaxServerCalls int           // of one downstream server, at the same time
	MaxRuns        int           // in progress at the same time
	MaxQueuedRuns  int           // waiting for their turn
	Memory         int64         // of the process, in bytes
}

// limitSettings are the keys of limits.
var limitSettings = []setting{
	{
		"maxNodeExecutions", lowers, "Node executions in a run. Each item of a `foreach` counts as one.", "1000000",
		number(1, 1_000_000_000, func(c *Config, n int64) { c.Limits.MaxNodeExecutions = int(n) }),
	},
	{
		"maxExecutionTimeMs", lowers, "Time of a run, in milliseconds.", "86400000",
		millis(1, maxMillis, func(c *Config) *time.Duration { return &c.Limits.MaxExecutionTime }),
	},
	{
		"maxCallTimeMs", lowers, "Time of one call of a downstream server, in milliseconds. A node gives its calls less time with `timeoutMs`.", "60000",
		millis(1, maxMillis, func(c *Config) *time.Duration { return &c.Limits.MaxCallTime }),
	},
	{
		"progressRenewsCall", needsTrust, "Whether a report of progress gives its call the whole time again, within the time of the run.", "true",
		unless(func(c *Config) *bool { return &c.Limits.FixedCallTime }),
	},
	{
		"maxAnswerTimeMs", lowers, "How long a call waits for a person's answer to a question that its server asks during the call, in milliseconds ([questions of servers](servers.md#questions-of-servers)). It does not count towards the other limits.", "600000",
		millis(1, maxMillis, func(c *Config) *time.Duration { return &c.Limits.MaxAnswerTime }),
	},
	{
		"maxServerCalls", lowers, "Calls of one downstream server at the same time. Further calls wait, and callers take turns.", strconv.Itoa(DefaultServerCalls),
		number(1, 1_000_000, func(c *Config, n int64) { c.Limits.MaxServerCalls = int(n) }),
	},
	{
		"maxResultBytes", lowers, "Size of a result, and of each node's output, as JSON, in bytes. The default is 16 MiB.", "16777216",
		number(1, 1<<40, func(c *Config, n int64) { c.Limits.MaxResultBytes = int(n) }),
	},
	{
		"maxTraceBytes", lowers, "Size of all outputs of a run together, in bytes. The default is 256 MiB.", "268435456",
		number(1, 1<<40, func(c *Config, n int64) { c.Limits.MaxTraceBytes = int(n) }),
	},
	{
		"maxTokens", lowers, "[Tokens of models](models.md#budgets) in a run.", "1000000",
		number(1, 1<<40, func(c *Config, n int64) { c.Limits.MaxTokens = int(n) }),
	},
	{
		"maxTokensPerDay", lowers, "Tokens of models in all runs of a graph on a day of UTC.", "10000000",
		number(1, 1<<40, func(c *Config, n int64) { c.Limits.MaxTokensPerDay = int(n) }),
	},
	{
		"maxRuns", lowers, "Runs that execute at the same time; those that wait for a time or a person do not count. Further runs wait in a queue.", "256",
		number(1, 1_000_000, func(c *Config, n int64) { c.Limits.MaxRuns = int(n) }),
	},
	{
		"maxQueuedRuns", lowers, "Runs in the queue. Further runs are refused.", "1024",
		number(1, 1_000_000, func(c *Config, n int64) { c.Limits.MaxQueuedRuns = int(n) }),
	},
	{
		"memoryMB", needsTrust, "Soft limit of the memory, in MiB. Three quarters are for checks of graphs and long evaluations, and one half bounds what runs hold; work waits while its share is in use. More than the control group and `ulimit -v` allow is not taken. `GOMEMLIMIT`, if it is set, takes its place. `patchbay doctor` shows the limit in effect.", "half of the smallest of what the machine has, its control group allows and `ulimit -v` leaves",
		number(64, 1<<30, func(c *Config, n int64) { c.Limits.Memory = n << 20 }),
	},
}
