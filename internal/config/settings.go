package config

import (
	"fmt"
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
	consent  consent
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
	{"servers", needsTrust, "The downstream MCP servers, by name. Their tools become nodes.", "none", value{"map of servers", (*loader).servers, nil}},
	{"mcpServers", needsTrust, "Another name for `servers`, used by other clients.", "none", value{"map of servers", (*loader).servers, nil}},
	{"graphql", namesFiles, "GraphQL APIs, by name. Their queries, and the mutations that you allow, become nodes, as the tools of a server of that name do ([APIs](apis.md)).", "none", apiSettings(graphqlKind)},
	{"openapi", namesFiles, "REST APIs with an OpenAPI document, by name. Their operations become nodes, as the tools of a server of that name do ([APIs](apis.md)).", "none", apiSettings(openapiKind)},
	{
		"trust", needsTrust, "Servers whose annotations (`readOnlyHint`, `idempotentHint`) Patchbay relies on ([when to trust a server](concepts.md#when-to-trust-a-server)). A call of another server is retried, or repeated after a crash, only if its node has `unsafe: true`, and a dry run does not make it.", "none",
		texts("server names", func(l *loader, o origin, item graph.Value) { l.trust = append(l.trust, trusted{o.file, item}) }),
	},
	{"registry", needsTrust, "The MCP registry that `patchbay mcp find` asks, such as `https://registry.modelcontextprotocol.io`.", "none", webAddress("https://registry.modelcontextprotocol.io", false, func(c *Config) *string { return &c.Registry })},
	{"workspace", needsTrust, "The built-in server of read-only file tools.", "", group([]setting{
		{"enabled", needsTrust, "Whether this server is offered.", "true if no server is configured", written(func(l *loader) **bool { return &l.workspaceEnabled })},
		{"root", needsTrust, "The folder whose files it offers. It offers `/` or the home directory only if you write it here.", "the folder of this file, or the working directory if this file is in your configuration folder", value{"folder", (*loader).root, nil}},
	})},
	{"graphs", needsTrust, "Saved graphs. `graphs: DIR` is `graphs: {dir: DIR}`.", "", value{"map, or path", (*loader).graphs, graphSettings}},
	{
		"exposeMax", needsTrust, "How many of the saved graphs without `expose` are MCP tools: the first ones by name. A graph with `expose: true` always is one, and with `expose: false` never.", strconv.Itoa(DefaultExposeMax),
		number(0, 1000, func(c *Config, n int64) { c.ExposeMax = int(n) }),
	},
	{"workflows", needsTrust, "Workflows around calls, in addition to those in the folder `workflows` next to this file ([workflows](workflows.md)).", "none", value{"list of workflows", (*loader).workflows, nil}},
	{"hooks", needsTrust, "The scripts of [hooks](workflows.md#scripts).", "", group(hookSettings)},
	{"calls", needsTrust, "Which calls of downstream tools are made, and for which a person is asked ([destructive tools](security.md#destructive-tools)).", "", group(callSettings)},
	{"expose", needsTrust, "What clients see of the downstream servers themselves ([gateway](gateway.md)).", "", group(exposeSettings)},
	{
		"packs", namesFiles, "Knowledge packs: folders, and `builtin:workflow` for the one in the program. A knowledge pack describes the nodes of another system, so that they can be found by search and graphs that use them can be checked ([catalog](catalog.md)).", "none",
		texts("folders and names", func(l *loader, o origin, item graph.Value) {
			if strings.HasPrefix(item.Text(), BuiltinPack) {
				l.cfg.addPack(item.Text())
				return
			}
			l.folderSetting(o, item, func(dir string) { l.cfg.addPack(dir) })
		}),
	},
	{"search", needsTrust, "How nodes are found ([search](search.md)).", "", group(searchSettings)},
	{"limits", lowers, "Upper bounds for every run, which a graph cannot raise with its own `executionLimits`.", "", group(limitSettings)},
	{
		"project", needsTrust, "The name of the project that runs and learned result types belong to, such as `shop`. Runs are listed and resumed by their own project ([all rules](durability.md#projects)). Configurations with the same name share a project.", "the place of this file",
		value{"name", (*loader).project, nil},
	},
	{"runs", needsTrust, "How runs are stored.", "", group([]setting{
		{"store", needsTrust, "`sqlite` stores runs in a journal, an SQLite file; `memory` keeps only the latest runs, while the process lives.", "sqlite", choice("`sqlite` or `memory`", func(c *Config, s string) { c.Runs.Memory = s == "memory" })},
		{"file", needsTrust, "The file of the journal.", "`$XDG_STATE_HOME/patchbay/runs.db`", folder(func(c *Config, file string) { c.Runs.File = file })},
		{"key", needsTrust, "The key by which the journal recognises what Patchbay wrote ([which runs are believed](durability.md#which-runs-are-believed)), as `${VAR}`: at least 32 characters. Processes of different users or machines that share a journal name the same one.", "a random key in `$XDG_STATE_HOME/patchbay/journal.key`", value{"string", (*loader).journalKey, nil}},
		{
			"keepDays", needsTrust, "Age in days at which stopped runs of this project are deleted. `patchbay serve` deletes them when it begins to resume runs, three seconds after the first use of a server; 0 keeps them.", strconv.Itoa(int(DefaultKeep / (24 * time.Hour))),
			number(0, 36_500, func(c *Config, n int64) { c.Runs.Keep = time.Duration(n) * 24 * time.Hour }),
		},
		{
			"keepMB", needsTrust, "Size of the stored runs of all projects in MiB. If they take more, `patchbay serve` also deletes the oldest stopped runs, of any project.", strconv.Itoa(DefaultKeepBytes >> 20),
			number(1, 1_000_000, func(c *Config, n int64) { c.Runs.KeepBytes = n << 20 }),
		},
		{
			"onDisconnect", needsTrust, "What happens to the runs of an HTTP session when the session ends. `finish`: they continue; `park`: they stop, and the next `patchbay serve` resumes them; `cancel`: they are cancelled.", "finish",
			choice("`finish`, `park` or `cancel`", func(c *Config, s string) { c.Runs.OnDisconnect = s }),
		},
		{
			"waitMs", needsTrust, "How long the call of a tool waits for its run, in milliseconds. A run that takes longer continues, and `get_run` returns its result. Most clients wait 60 seconds for a reply.", "45000",
			millis(1, maxMillis, func(c *Config) *time.Duration { return &c.Runs.Wait }),
		},
		{"recover", needsTrust, "Whether `patchbay serve` resumes the runs of this project that an earlier process left unfinished.", "true", unless(func(c *Config) *bool { return &c.Runs.NoRecover })},
	})},
	{"runtime", needsTrust, "What executes runs. Without it, the process that starts them does.", "", group(runtimeSettings)},
	{"shutdown", needsTrust, "How `patchbay serve` ends.", "", group([]setting{
		{
			"graceMs", needsTrust, "How long calls that were already made may take to return after the end of the input or a signal, in milliseconds. Then the runs are parked. Many clients kill a server after 4 seconds.", strconv.Itoa(int(DefaultGrace / time.Millisecond)),
			millis(0, 3_600_000, func(c *Config) *time.Duration { return &c.Grace }),
		},
	})},
	{"learn", needsTrust, "What Patchbay remembers.", "", group([]setting{
		{"shapes", needsTrust, "Whether Patchbay learns the fields and types in the results of tools without an outputSchema, for the checker. They are stored in the cache, for each project; values are not.", "true", unless(func(c *Config) *bool { return &c.NoShapes })},
		{"searches", needsTrust, "Whether a server records searches without results, in memory. `patchbay doctor --searches` gets them from a server that listens on HTTP.", "true", unless(func(c *Config) *bool { return &c.NoSearches })},
	})},
	{
		"secrets", needsTrust, "More values to mask, in addition to [those that are secrets anyway](#secrets): names of environment variables, strings with `${VAR}`, or values of at least 8 bytes.", "none",
		value{"list of strings", (*loader).secretList, nil},
	},
	{"log", needsTrust, "What is logged, to stderr, and the audit log ([observability](observability.md)).", "", group(logSettings)},
	{"serve", needsTrust, "What `patchbay serve` offers.", "", group(serveSettings)},
	{"schedules", needsTrust, "Graphs that `patchbay serve --http` starts at certain times: a list of `{graph, cron, arguments?, timezone?, name?}` ([schedules](schedules.md)).", "none", value{"list of schedules", (*loader).schedules, nil}},
	{"webhooks", needsTrust, "Graphs that a request to `/hooks/NAME` starts, by name: `{graph, token?, secret?, signature?, body?, headers?, query?}` ([webhooks](schedules.md#webhooks)).", "none", value{"map of webhooks", (*loader).webhooks, nil}},
	{"models", needsTrust, "Endpoints that `model` nodes ask, by name: `{api, url, model, key?, concurrency?, timeoutMs?, maxTokens?}` ([models](models.md)).", "none", value{"map of models", (*loader).models, nil}},
	{"links", needsTrust, "Links by which a person answers the question of a run ([links](schedules.md#links)).", "", group(linkSettings)},
	{"egress", needsTrust, "What `http` nodes may request.", "", group(egressSettings)},
	{oldHTTP, needsTrust, "", "", value{"map", (*loader).oldHTTP, nil}},
	{"cache", needsTrust, "The folder of cached tool lists and learned result types.", "`$XDG_CACHE_HOME/patchbay`", folder(func(c *Config, dir string) { c.CacheDir = dir })},
}

// entrySettings are the keys of a server's entry: first those that every client
// knows, then other clients' names for the same.
var entrySettings = []Setting{
	{"command", "string", "", "The program to start, for a server on this machine."},
	{"args", "list of strings", "none", "Its arguments, one per item."},
	{"env", "map of strings", "none", "Environment variables to set, in addition to the [inherited ones](#what-a-server-inherits)."},
	{"cwd", "path", "the folder of the file that has the entry", "The working directory of the program."},
	{"image", "name", "none", "Run the server in a container of this image, by docker or podman, without capabilities ([confinement](servers.md#confine-a-server)). `command` and `args` are what is run in it."},
	{"sandbox", "`bwrap`", "none", "Run the command in a sandbox, on Linux."},
	{"mounts", "list of paths", "none", "What a confined server sees: `PATH`, `PATH:TARGET`, each read-only unless `:rw` follows."},
	{"network", "boolean", "false", "Whether a confined server may use the network."},
	{"memory", "size", "512m", "Memory of the container."},
	{"type", "`stdio`, `http` or `sse`", "`stdio` with a command, `http` with a url", "The transport of the server."},
	{"url", "URL", "", "The address of a remote server."},
	{"headers", "map of strings", "none", "HTTP headers of every request to a remote server."},
	{"auth", "map", "none", "How calls of a remote server are authorized, if not by a header ([log in](servers.md#log-in)): `bearer`, `basic`, `apiKey`, `clientCredentials` or `client`."},
	{"disabled", "boolean", "false", "Whether to leave the server out."},
	{"tools", "map of `allow` and `deny`", "all", "Which of its tools can be used, as lists of patterns of their names. A tool that is not allowed, or is denied, is not listed, not found, not called, and not used in graphs ([gateway](gateway.md#which-tools))."},
	{"tags", "list of strings", "none", "Words by which a search finds its tools, such as `code`."},
	{"aliases", "list of strings", "none", "Other names of the server, such as `gh`: a search finds its tools by them too."},
	{"trust", "`strict`, `pin` or `auto`", "pin", "How [changes of its tools](servers.md#changed-tools) are taken. `strict`: each waits for `patchbay mcp approve`; `pin`: each that does not come with a new version of the server; `auto`: none."},
	{"start", "`eager` or `lazy`", "`lazy`", "When `serve` starts the server: at once, or when a call or a check needs it. A server whose tools are not known yet is started at once, and so is every server if `expose.downstream` is on and nothing is written here."},
	{"idleMs", "integer", "never", "After how long without a call the process of the server is ended, until the next call, in milliseconds; not with `expose.downstream`."},
	{"transport", "", "", "Another name for `type`."},
	{"enabled", "boolean", "true", "The opposite of `disabled`."},
	{"serverUrl", "", "", "Another name for `url`."},
	{"httpUrl", "", "", "Another name for `url`."},
	{"callTimeoutMs", "integer", "`limits.maxCallTimeMs`", "Time of one call of this server, in milliseconds."},
	{"maxCalls", "integer", "`limits.maxServerCalls`", "Calls of this server at the same time."},
}

// settingKeys are the keys that settings describe, and others.
func settingKeys(settings []Setting, keys ...string) []string {
	for _, s := range settings {
		keys = append(keys, s.Key)
	}
	return keys
}

// group is a map with keys of its own.
func group(table []setting) value {
	return value{"map", func(l *loader, o origin, v graph.Value) {
		if o.is(v, graph.Object, "a map") {
			l.table(o, v, table)
		}
	}, table}
}

// number is a whole number from low to high.
func number(low, high int64, set func(*Config, int64)) value {
	return value{fmt.Sprintf("integer, %d-%d", low, high), func(l *loader, o origin, v graph.Value) {
		if n, ok := o.number(v, low, high); ok {
			set(l.cfg, n)
		}
	}, nil}
}

// millis is a duration in milliseconds.
func millis(low, high int64, to func(*Config) *time.Duration) value {
	return number(low, high, func(c *Config, n int64) { *to(c) = time.Duration(n) * time.Millisecond })
}

// unless is a switch that is on unless it is turned off.
func unless(off func(*Config) *bool) value {
	return toggle(off, false)
}

// when is a switch that is off unless it is turned on.
func when(on func(*Config) *bool) value { return toggle(on, true) }

// toggle is a switch that sets a value to on where it is true.
func toggle(to func(*Config) *bool, on bool) value {
	return value{"boolean", func(l *loader, o origin, v graph.Value) {
		if o.is(v, graph.Boolean, "true or false") {
			*to(l.cfg) = v.Bool() == on
		}
	}, nil}
}

// written is a switch whose default depends on other settings.
func written(to func(*loader) **bool) value {
	return value{"boolean", func(l *loader, o origin, v graph.Value) {
		if o.is(v, graph.Boolean, "true or false") {
			on := v.Bool()
			*to(l) = &on
		}
	}, nil}
}

// folder is a path, relative to the file that names it.
func folder(set func(*Config, string)) value {
	return value{"path", func(l *loader, o origin, v graph.Value) {
		l.folderSetting(o, v, func(dir string) { set(l.cfg, dir) })
	}, nil}
}

// choice is one of the words in code marks.
func choice(kind string, set func(*Config, string)) value {
	return value{kind, func(l *loader, o origin, v graph.Value) {
		if text := v.Text(); strings.Contains(kind, "`"+text+"`") && !strings.Contains(text, " ") {
			set(l.cfg, text)
			return
		}
		o.bad(v, strings.ReplaceAll(kind, "`", ""))
	}, nil}
}

// texts is a list of texts, or one.
func texts(of string, each func(*loader, origin, graph.Value)) value {
	return value{"list of " + of, func(l *loader, o origin, v graph.Value) {
		for _, item := range o.texts(v, of) {
			each(l, o, item)
		}
	}, nil}
}

// patterns is a list of patterns of names.
func patterns(to func(*Config) *[]string) value {
	return texts("patterns", func(l *loader, _ origin, item graph.Value) { *to(l.cfg) = append(*to(l.cfg), item.Text()) })
}

// table reads a map by its schema, in the order of the schema.
func (l *loader) table(o origin, m graph.Value, table []setting) {
	var keys []string
	for _, s := range table {
		if s.key != oldHTTP || m.Has(oldHTTP) {
			keys = append(keys, s.key)
		}
	}
	where := "the configuration"
	if p := m.Path(); p != "" {
		where = strings.ReplaceAll(strings.TrimPrefix(p, "/"), "/", ".")
	}
	o.unknown(m, keys, where)
	for _, s := range table {
		// "key:" without a value is a section whose lines are all comments.
		if v := m.Get(s.key); given(v) && (!l.withheld || s.harmless(v)) {
			s.read(l, o, v)
		}
	}
}
