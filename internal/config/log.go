package config

import (
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/audit"
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
	{"format", needsTrust, "Lines of `text`, as `key=value`, or of `json`.", "text", value{"`text` or `json`", (*loader).logFormat, nil}},
	{
		"slowMs", needsTrust, "A call that takes as long is logged as a warning with its tool, time and size, in milliseconds; 0 logs none.", strconv.FormatInt(DefaultSlowCall.Milliseconds(), 10),
		number(0, maxMillis, func(c *Config, n int64) { c.Log.Slow = time.Duration(n) * time.Millisecond }),
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

func (l *loader) logFormat(o origin, v graph.Value) {
	switch {
	case v.Is(graph.String) && v.Text() == "json":
		l.cfg.Log.JSON = true
	case v.Is(graph.String) && v.Text() == "text":
		l.cfg.Log.JSON = false
	default:
		l.bad(o.file, v, "text or json")
	}
}
