package config

import "github.com/patchbay-mcp/patchbay/graph"

// Expose is what clients get of downstream servers, besides what graphs make of them.
type Expose struct {
	Downstream bool   // tools, resources and prompts of downstream servers pass through
	Prefix     string // of their names, where {server} is the server
	// Names are those that pass through, as server/name. Allow chooses them; what Deny
	// names nobody can use.
	Names
	Threshold int // tools beyond which none is listed; 0 has no bound
	// OnDemand lets clients that load definitions on demand do so with all of them.
	OnDemand bool
}

// DefaultPrefix begins the names of what passes through.
const DefaultPrefix = "{server}__"

// Denied says whose setting denies a tool of a server, "" if none does: calls.deny,
// expose.deny, or tools of the server's entry.
func (c *Config) Denied(server, tool string) string {
	if matchAny(c.Calls.Deny, server+"/"+tool) {
		return "calls.deny"
	}
	if matchAny(c.Expose.Deny, server+"/"+tool) {
		return "expose.deny"
	}
	if s, ok := c.Server(server); ok && !s.Tools.Allows(tool) {
		return "servers." + server + ".tools"
	}
	return ""
}

// exposeSettings are about what passes through of downstream servers.
var exposeSettings = []setting{
	{
		"downstream", needsTrust, "Whether the tools, resources, resource templates and prompts of the downstream servers pass through, as with `--expose-downstream`.", "false",
		when(func(c *Config) *bool { return &c.Expose.Downstream }),
	},
	{"prefix", needsTrust, "What the names of what passes through begin with; `{server}` is the name of the server. It may be empty.", "`" + DefaultPrefix + "`", value{"string", (*loader).prefix, nil}},
	{
		"allow", needsTrust, "What passes through, as patterns of `SERVER/NAME` in which `*` stands for any characters and `?` for one.", "everything",
		patterns(func(c *Config) *[]string { return &c.Expose.Allow }),
	},
	{
		"deny", needsTrust, "What neither passes through nor can be used otherwise, as such patterns: not listed, not found, not called, and not used in graphs.", "none",
		patterns(func(c *Config) *[]string { return &c.Expose.Deny }),
	},
	{
		"discoveryThreshold", needsTrust, "If more tools than this would pass through, none of them is listed: clients find and call them by `search_nodes`, `get_node_details` and `run_node`. 0 has no bound.", "0",
		number(0, 1_000_000, func(c *Config, n int64) { c.Expose.Threshold = int(n) }),
	},
	{
		"alwaysLoad", needsTrust, "Whether clients that load definitions of tools on demand are to load `search_nodes`, `run_node`, `run_graph` and the exposed graphs at once.", "true",
		unless(func(c *Config) *bool { return &c.Expose.OnDemand }),
	},
}

// prefix reads expose.prefix, which may be empty.
func (l *loader) prefix(o origin, v graph.Value) {
	if o.is(v, graph.String, "a string") {
		l.cfg.Expose.Prefix = v.Text()
	}
}

// tools reads which tools of a server can be used: a map of allow and deny, or, as
// other clients write it, a list of those that are allowed.
func (r *entryReader) tools() {
	v := r.at.Get("tools")
	switch v.Kind() {
	case graph.Absent, graph.Null:
	case graph.Array, graph.String:
		r.s.Tools.Allow = r.patterns(v)
	case graph.Object:
		r.unknown(v, []string{"allow", "deny"}, "tools of server \""+r.s.Name+"\"")
		r.s.Tools = Names{Allow: r.patterns(v.Get("allow")), Deny: r.patterns(v.Get("deny"))}
	default:
		r.fault(ruleBadSetting, v, "write allow and deny, each with a list of patterns", "tools of server %q is %s, not a map", r.s.Name, v.Kind())
	}
}

// patterns reads a list of patterns of names. One that cannot be read stops the
// server: it would have more tools than the operator means.
func (r *entryReader) patterns(v graph.Value) (list []string) {
	for _, item := range listItems(v) {
		if !item.Is(graph.String) {
			r.fault(ruleBadSetting, item, "write patterns such as write_*", "tools of server %q has %s, not a pattern", r.s.Name, item.Kind())
			continue
		}
		list = append(list, item.Text())
	}
	return list
}
