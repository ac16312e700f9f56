package config

import (
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
)

// Log is what is written about what happens.
type Log struct {
	JSON bool          // lines of JSON instead of text
	Slow time.Duration // calls that take as long are warnings; 0 is none

	Audit      string // the file of the audit log, or ""
	AuditBytes int64  // of the file, before it is rotated
	AuditKeep  int    // rotated files
}

// DefaultSlowCall is how long a call takes that is logged as slow, unless the operator
// says otherwise.
const DefaultSlowCall = 10 * time.Second

var logSettings = []setting{
	{"format", needsTrust, "Lines of `text`, as `key=value`, or of `json`.", "text", choice("`text` or `json`", func(c *Config, s string) { c.Log.JSON = s == "json" })},
	{
		"slowMs", needsTrust, "A call that takes as long is logged as a warning with its tool, time and size, in milliseconds; 0 logs none.", strconv.FormatInt(DefaultSlowCall.Milliseconds(), 10),
		millis(0, maxMillis, func(c *Config) *time.Duration { return &c.Log.Slow }),
	},
	{"audit", needsTrust, "The file of the audit log: a line of JSON for each call, without arguments and results. Only its user can read it.", "none", folder(func(c *Config, file string) { c.Log.Audit = file })},
	{
		"auditMB", needsTrust, "Size of the audit log in MiB, after which it is renamed to FILE.1.", strconv.Itoa(audit.DefaultMaxBytes >> 20),
		number(1, 1_000_000, func(c *Config, n int64) { c.Log.AuditBytes = n << 20 }),
	},
	{
		"auditKeep", needsTrust, "How many renamed audit logs are kept, FILE.1 the latest.", strconv.Itoa(audit.DefaultKeep),
		number(1, 1000, func(c *Config, n int64) { c.Log.AuditKeep = int(n) }),
	},
}

// Calls says which calls of downstream tools are made, as patterns of server/tool. Of
// several that describe a tool, Deny has precedence over Confirm, and Confirm over Allow.
type Calls struct {
	Allow   []string // nobody is asked
	Confirm []string // a person is asked, whoever sends the call
	Deny    []string // nobody can use the tool
}

// A Policy says what happens to the calls of a tool.
type Policy int

// The policies. A tool that no pattern describes is PolicyByHint: a person is asked if an
// agent sends the call and the tool declares that it is destructive.
const (
	PolicyByHint Policy = iota
	PolicyAllow
	PolicyConfirm
	PolicyDeny
)

// Of returns what happens to the calls of a tool.
func (c *Calls) Of(server, tool string) Policy {
	name := server + "/" + tool
	switch {
	case matchAny(c.Deny, name):
		return PolicyDeny
	case matchAny(c.Confirm, name):
		return PolicyConfirm
	case matchAny(c.Allow, name):
		return PolicyAllow
	}
	return PolicyByHint
}

// callSettings are about which calls are made.
var callSettings = []setting{
	{
		"allow", needsTrust, "Tools that are called without asking, as patterns of `SERVER/TOOL` in which `*` stands for any characters and `?` for one.", "all that are not declared destructive",
		patterns(func(c *Config) *[]string { return &c.Calls.Allow }),
	},
	{
		"confirm", needsTrust, "Tools whose calls a person must permit, whoever sends them, as such patterns. `confirm` has precedence over `allow`.", "those that are declared destructive (`destructiveHint`), if an agent sends the call",
		patterns(func(c *Config) *[]string { return &c.Calls.Confirm }),
	},
	{
		"deny", needsTrust, "Tools that nobody can use, as such patterns: not found, not called, and not used in graphs. `deny` has precedence over the others.", "none",
		patterns(func(c *Config) *[]string { return &c.Calls.Deny }),
	},
}
