package config

import (
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
)

// Serve is how the server is offered over HTTP.
type Serve struct {
	Addr           string   // host:port, or "" for stdio only
	AllowedOrigins []string // in addition to the server's own
	AllTools       bool     // tools/list has every tool
	TokensFile     string   // has the hashes of tokens; "" when there is no place for it

	// Zero means that none was set.
	MaxSessions    int           // open at the same time
	MaxConnections int           // open at the same time
	BodyTimeout    time.Duration // for the body of a request to arrive
}

// serveSettings are about what is served.
var serveSettings = []setting{
	{
		"allTools", "Whether clients see every tool in `tools/list`, as with `--all-tools`. Otherwise `edit_graph`, `get_run`, `resume_run` and `cancel_run` are not listed, but can be called; the replies that need them name them.", "false",
		when(func(c *Config) *bool { return &c.Serve.AllTools }),
	},
	{"addr", "Where `patchbay serve` listens, on a loopback address. Without it, the server uses stdin and stdout.", "stdio", value{"`host:port`", (*loader).addr, nil}},
	{
		"allowedOrigins", "Origins of web pages that may call the server, in addition to its own.", "none",
		texts("origins", func(l *loader, o origin, item graph.Value) { l.allowOrigin(o, item) }),
	},
	{
		"maxSessions", "Sessions at the same time. A client that would open a further one gets status 503 with `Retry-After`. A session ends with the client's DELETE, or after an hour without a request.", "1000",
		number(1, 1_000_000, func(c *Config, n int64) { c.Serve.MaxSessions = int(n) }),
	},
	{
		"maxConnections", "Connections at the same time. Further ones get status 503 with `Retry-After`.", "4000",
		number(1, 1_000_000, func(c *Config, n int64) { c.Serve.MaxConnections = int(n) }),
	},
	{
		"bodyTimeoutMs", "How long the body of a request may take to arrive, in milliseconds. A later one gets status 408.", "30000",
		number(1, 3_600_000, func(c *Config, n int64) { c.Serve.BodyTimeout = time.Duration(n) * time.Millisecond }),
	},
	{"tokensFile", "The file with the hashes of the tokens that `patchbay token add` has made.", "`$XDG_STATE_HOME/patchbay/access/tokens.json`", folder(func(c *Config, file string) { c.Serve.TokensFile = file })},
}
