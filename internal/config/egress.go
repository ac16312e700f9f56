package config

import (
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

func (l *loader) prefixes(o origin, v graph.Value) []egress.Prefix {
	var list []egress.Prefix
	for _, item := range o.texts(v, "URLs") {
		text, ok := l.expanded(o, item, "a URL")
		if !ok {
			continue
		}
		p, err := egress.ParsePrefix(text)
		if err != nil {
			o.bad(item, "the beginning of URLs, such as https://api.example.com/v1/")
			o.file.Diagnostics[len(o.file.Diagnostics)-1].Hint = err.Error()
			continue
		}
		list = append(list, p)
	}
	return list
}

// variables reads a list of names, or a map of names to where their values may be
// sent. One whose bounds cannot be read is left out.
func (l *loader) variables(o origin, v graph.Value) {
	if v.Is(graph.Object) {
		for name, to := range v.Members() {
			if to.Is(graph.Null) {
				l.variable(o, v.Key(name), name, nil)
			} else if where := l.prefixes(o, to); len(where) > 0 {
				l.variable(o, v.Key(name), name, where)
			} else if to.Is(graph.Array) && to.Len() == 0 {
				o.bad(to, "where it may be sent, such as https://api.example.com/")
			}
		}
		return
	}
	for _, item := range o.texts(v, "names of environment variables, or a map of them to URLs") {
		l.variable(o, item, strings.TrimSuffix(strings.TrimPrefix(item.Text(), "${"), "}"), nil)
	}
}

// variable takes a value from the environment. One that is not set is not a fault
// of the rest: graphs that use it are refused.
func (l *loader) variable(o origin, at graph.Value, name string, to []egress.Prefix) {
	if !isVariable(name) {
		o.bad(at, "the name of an environment variable")
		return
	}
	value, set := l.expander.environ(name)
	if !set {
		o.report(ruleMissingVariable, at, "set "+name+" in the environment that patchbay starts in; graphs that use it are refused until then", "the environment variable %q, for http nodes, is not set", name)
		return
	}
	if l.cfg.Egress.Variables == nil {
		l.cfg.Egress.Variables = map[string]egress.Variable{}
	}
	l.cfg.Egress.Variables[name] = egress.Variable{Value: value, For: to}
	l.secrets = append(l.secrets, secrets.Secret{Name: name, Value: value})
}

// egressSettings are about what http nodes may request.
var egressSettings = []setting{
	{"allow", needsTrust, "What `http` nodes may request. Each URL allows its scheme, host and port, and its path with everything below it.", "none", value{"list of URLs", func(l *loader, o origin, v graph.Value) {
		l.cfg.Egress.Allow = append(l.cfg.Egress.Allow, l.prefixes(o, v)...)
	}, nil}},
	{"private", needsTrust, "Hosts in `allow` that may have a private address.", "none", texts("hosts", host("intranet.example.com", func(c *Config) *[]string { return &c.Egress.Private }))},
	{
		"variables", needsTrust, "Environment variables that `http` nodes may use as `${NAME}`, each with the URLs to which its value may be sent. With a list of names, each value may be sent to any allowed URL.", "none",
		value{"map of names to URLs, or list of names", (*loader).variables, nil},
	},
	{
		"timeoutMs", needsTrust, "Time of one request, with its redirects and its response.", "30000",
		millis(1, maxMillis, func(c *Config) *time.Duration { return &c.Egress.Timeout }),
	},
	{
		"maxBytes", needsTrust, "Size of a response's body, decompressed, in bytes. The default is 10 MiB.", "10485760",
		number(1, 1<<30, func(c *Config, n int64) { c.Egress.MaxBytes = n }),
	},
}
