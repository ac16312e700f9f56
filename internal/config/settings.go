package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
)

// maxMillis bounds a duration: a year.
const maxMillis = int64(365 * 24 * time.Hour / time.Millisecond)

// A setting is one key of a map in patchbay.yaml: what it means to the operator,
// its default, and the value that it takes.
type setting struct {
	key      string
	doc      string
	fallback string // the default, as the operator would write it, or in words
	value
}

// A value is what a setting takes: how its type is called, and how it is read.
type value struct {
	kind string
	read func(l *loader, o origin, v graph.Value)
	keys []setting // of a map with keys of its own
}

// settings is the whole schema of patchbay.yaml.
var settings = []setting{
	{"servers", "The downstream MCP servers, by name. Their tools become nodes.", "none", value{"map of servers", (*loader).servers, nil}},
	{"mcpServers", "Another name for `servers`, as other clients call it.", "none", value{"map of servers", (*loader).servers, nil}},
	{
		"trust", "Servers whose annotations are believed (`readOnlyHint`, `idempotentHint`): only their tools are retried without `unsafe: true`, repeated after a crash, and called in a dry run.", "none",
		texts("server names", func(l *loader, o origin, item graph.Value) { l.trust = append(l.trust, trusted{o.file, item}) }),
	},
	{"workspace", "The built-in server of read-only file tools.", "", group([]setting{
		{"enabled", "Whether it is offered.", "true if no server is configured", value{"boolean", func(l *loader, o origin, v graph.Value) {
			if l.is(o.file, v, graph.Bool, "true or false") {
				on := v.Bool()
				l.workspaceEnabled = &on
			}
		}, nil}},
		{"root", "The folder that it offers. `/` and the home directory are offered only if they are written here.", "the folder of this file", value{"folder", (*loader).root, nil}},
	})},
	{"graphs", "Where saved graphs are kept, one YAML file each.", "`$XDG_DATA_HOME/patchbay/graphs`", folder(func(c *Config, dir string) { c.GraphsDir = dir })},
	{
		"exposeMax", "How many saved graphs are MCP tools without `expose: true` of their own.", strconv.Itoa(DefaultExposeMax),
		number(0, 1000, func(c *Config, n int64) { c.ExposeMax = int(n) }),
	},
	{
		"packs", "Folders of knowledge packs: descriptions of nodes of other systems, to search and to check against.", "none",
		texts("folders", func(l *loader, o origin, item graph.Value) {
			l.folderSetting(o, item, func(dir string) { l.cfg.Packs = append(l.cfg.Packs, dir) })
		}),
	},
	{"limits", "Bounds on every run, whatever a graph's own `executionLimits` say.", "", group([]setting{
		{
			"maxNodeExecutions", "Node executions of a run. An item of a `foreach` counts as one.", "1000000",
			number(1, 1_000_000_000, func(c *Config, n int64) { c.Limits.MaxNodeExecutions = int(n) }),
		},
		{
			"maxExecutionTimeMs", "Time of a run, in milliseconds.", "86400000",
			number(1, maxMillis, func(c *Config, n int64) { c.Limits.MaxExecutionTime = time.Duration(n) * time.Millisecond }),
		},
		{
			"maxResultBytes", "Size of a result, and of each node's output, as JSON.", "16777216",
			number(1, 1<<40, func(c *Config, n int64) { c.Limits.MaxResultBytes = int(n) }),
		},
		{
			"maxTraceBytes", "Size of all outputs of a run together.", "268435456",
			number(1, 1<<40, func(c *Config, n int64) { c.Limits.MaxTraceBytes = int(n) }),
		},
		{
			"maxRuns", "Runs at the same time. More of them wait.", "256",
			number(1, 1_000_000, func(c *Config, n int64) { c.Limits.MaxRuns = int(n) }),
		},
		{
			"maxQueuedRuns", "Runs that wait. More of them are refused.", "1024",
			number(1, 1_000_000, func(c *Config, n int64) { c.Limits.MaxQueuedRuns = int(n) }),
		},
	})},
	{"runs", "How runs are kept.", "", group([]setting{
		{"store", "A database, or only the latest runs, in memory.", "sqlite", value{"`sqlite` or `memory`", (*loader).store, nil}},
		{"file", "The database.", "`$XDG_STATE_HOME/patchbay/runs.db`", folder(func(c *Config, file string) { c.Runs.File = file })},
		{
			"keepDays", "Runs that stopped longer ago are deleted when `patchbay serve` starts.", strconv.Itoa(int(DefaultKeep / (24 * time.Hour))),
			number(0, 36_500, func(c *Config, n int64) { c.Runs.Keep = time.Duration(n) * 24 * time.Hour }),
		},
		{
			"keepMB", "If all runs take more, the oldest that stopped are deleted too.", strconv.Itoa(DefaultKeepBytes >> 20),
			number(1, 1_000_000, func(c *Config, n int64) { c.Runs.KeepBytes = n << 20 }),
		},
		{"recover", "Whether `patchbay serve` resumes the runs that an earlier process left.", "true", unless(func(c *Config) *bool { return &c.Runs.NoRecover })},
	})},
	{"learn", "What Patchbay remembers.", "", group([]setting{
		{"shapes", "The shapes of results of tools without an outputSchema, in the cache, so that the checker knows their fields.", "true", unless(func(c *Config) *bool { return &c.NoShapes })},
		{"searches", "Searches that found nothing, as long as the process lasts. `patchbay doctor --searches` asks a server over HTTP for them.", "true", unless(func(c *Config) *bool { return &c.NoSearches })},
	})},
	{
		"secrets", "Values to mask, besides those that are [secrets already](#secrets): names of environment variables, texts with `${VAR}`, or values of at least 8 bytes.", "none",
		value{"list of texts", (*loader).secretList, nil},
	},
	{"serve", "What `patchbay serve` offers over HTTP.", "", group(serveSettings)},
	{"egress", "What `http` nodes may request.", "", group(egressSettings)},
	{oldHTTP, "", "", value{"map", (*loader).oldHTTP, nil}},
	{"cache", "Where tool lists and learned shapes are kept.", "`$XDG_CACHE_HOME/patchbay`", folder(func(c *Config, dir string) { c.CacheDir = dir })},
}

// serveSettings are about what is served.
var serveSettings = []setting{
	{"addr", "Where `patchbay serve` listens, on a loopback address. Without it the server speaks over stdin and stdout.", "stdio", value{"`host:port`", (*loader).addr, nil}},
	{
		"allowedOrigins", "Origins of web pages that may call the server, besides its own.", "none",
		texts("origins", func(l *loader, o origin, item graph.Value) { l.allowOrigin(o, item) }),
	},
}

// egressSettings are about what http nodes may request.
var egressSettings = []setting{
	{"allow", "What `http` nodes may request: beginnings of URLs.", "none", value{"list of URLs", (*loader).allow, nil}},
	{"private", "Hosts in `allow` that may have a private address.", "none", value{"list of hosts", (*loader).private, nil}},
	{
		"variables", "Environment variables that `http` nodes may use as `${NAME}`, each with the URLs that its value may be sent to. A list of names allows each wherever a request may go.", "none",
		value{"map of names to URLs, or list of names", (*loader).variables, nil},
	},
	{
		"timeoutMs", "Time of one request, with its redirects and its response.", "30000",
		number(1, maxMillis, func(c *Config, n int64) { c.Egress.Timeout = time.Duration(n) * time.Millisecond }),
	},
	{
		"maxBytes", "Size of a response's body, decompressed.", "10485760",
		number(1, 1<<30, func(c *Config, n int64) { c.Egress.MaxBytes = n }),
	},
}

// entrySettings are the keys of a server's entry: first those that every client
// knows, then other clients' names for the same.
var entrySettings = []Setting{
	{"command", "text", "", "The program to start, for a server on this machine."},
	{"args", "list of texts", "none", "Its arguments, one per item."},
	{"env", "map of texts", "none", "Its environment variables, besides the [inherited ones](#what-a-server-inherits)."},
	{"cwd", "path", "the folder of the file that has the entry", "Where it is started."},
	{"type", "`stdio`, `http` or `sse`", "`stdio` with a command, `http` with a url", "How it is spoken to."},
	{"url", "URL", "", "The address of a remote server."},
	{"headers", "map of texts", "none", "HTTP headers of every request to a remote server."},
	{"disabled", "boolean", "false", "Whether to leave the server out."},
	{"transport", "", "", "Another name for `type`."},
	{"enabled", "boolean", "true", "The opposite of `disabled`."},
	{"serverUrl", "", "", "Another name for `url`."},
	{"httpUrl", "", "", "Another name for `url`."},
}

func entryKeys() []string {
	keys := make([]string, len(entrySettings))
	for i, s := range entrySettings {
		keys[i] = s.Key
	}
	return keys
}

// group is a map with keys of its own.
func group(table []setting) value {
	return value{"map", func(l *loader, o origin, v graph.Value) {
		if l.is(o.file, v, graph.Map, "a map") {
			l.table(o, v, table)
		}
	}, table}
}

// number is a whole number from low to high.
func number(low, high int64, set func(*Config, int64)) value {
	return value{fmt.Sprintf("integer, %d-%d", low, high), func(l *loader, o origin, v graph.Value) {
		if n, ok := l.number(o, v, low, high); ok {
			set(l.cfg, n)
		}
	}, nil}
}

// unless is a switch that is on unless it is turned off.
func unless(off func(*Config) *bool) value {
	return value{"boolean", func(l *loader, o origin, v graph.Value) { l.flag(o, v, off(l.cfg)) }, nil}
}

// folder is a path, relative to the file that names it.
func folder(set func(*Config, string)) value {
	return value{"path", func(l *loader, o origin, v graph.Value) {
		l.folderSetting(o, v, func(dir string) { set(l.cfg, dir) })
	}, nil}
}

// texts is a list of texts, or one.
func texts(of string, each func(*loader, origin, graph.Value)) value {
	return value{"list of " + of, func(l *loader, o origin, v graph.Value) {
		for _, item := range l.texts(o, v, of) {
			each(l, o, item)
		}
	}, nil}
}

// A Setting describes one key for the operator.
type Setting struct {
	Key     string // "limits.maxRuns"
	Type    string
	Default string // in words or as written; "" if the key is a map of others
	Doc     string
}

// Settings describes every key of patchbay.yaml, in the order of the reference. The
// keys of a map follow it.
func Settings() []Setting { return describe("", settings) }

// ServerSettings describes every key of a server's entry.
func ServerSettings() []Setting { return slices.Clone(entrySettings) }

func describe(under string, table []setting) (list []Setting) {
	for _, s := range table {
		if s.key == oldHTTP {
			continue
		}
		list = append(list, Setting{under + s.key, s.kind, s.fallback, s.doc})
		list = append(list, describe(under+s.key+".", s.keys)...)
	}
	return list
}

// table reads a map by its schema, in the order of the schema.
func (l *loader) table(o origin, m graph.Value, table []setting) {
	var keys []string
	for _, s := range table {
		if s.key != oldHTTP || m.Get(oldHTTP).Exists() {
			keys = append(keys, s.key)
		}
	}
	where := "the configuration"
	if p := m.Path(); p != "" {
		where = strings.ReplaceAll(strings.TrimPrefix(p, "/"), "/", ".")
	}
	l.unknown(o, m, keys, where)
	for _, s := range table {
		// "key:" without a value is a section whose lines are all comments.
		if v := m.Get(s.key); v.Exists() && !v.Is(graph.Null) {
			s.read(l, o, v)
		}
	}
}
