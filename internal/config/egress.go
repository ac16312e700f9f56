package config

import (
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/egress"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// allow reads what http nodes may ask for.
func (l *loader) allow(o origin, v graph.Value) {
	l.cfg.Egress.Allow = append(l.cfg.Egress.Allow, l.prefixes(o, v)...)
}

func (l *loader) prefixes(o origin, v graph.Value) []egress.Prefix {
	var list []egress.Prefix
	for _, item := range l.texts(o, v, "URLs") {
		text, ok := l.expanded(o, item, "a URL")
		if !ok {
			continue
		}
		p, err := egress.ParsePrefix(text)
		if err != nil {
			l.bad(o.file, item, "the beginning of URLs, such as https://api.example.com/v1/")
			o.file.Diagnostics[len(o.file.Diagnostics)-1].Hint = err.Error()
			continue
		}
		list = append(list, p)
	}
	return list
}

// private reads the hosts that may be at a private address.
func (l *loader) private(o origin, v graph.Value) {
	for _, item := range l.texts(o, v, "hosts") {
		host := item.Text()
		if host == "" || strings.ContainsAny(host, "/*@ ") || strings.Count(host, ":") == 1 {
			l.bad(o.file, item, "a host without scheme and port, such as intranet.example.com")
			continue
		}
		l.cfg.Egress.Private = append(l.cfg.Egress.Private, strings.ToLower(strings.Trim(host, "[]")))
	}
}

// variables reads a list of names, or a map of names to where their values may be
// sent. One whose bounds cannot be read is left out.
func (l *loader) variables(o origin, v graph.Value) {
	if v.Is(graph.Map) {
		for _, name := range v.Keys() {
			to := v.Get(name)
			if to.Is(graph.Null) {
				l.variable(o, v.Key(name), name, nil)
			} else if where := l.prefixes(o, to); len(where) > 0 {
				l.variable(o, v.Key(name), name, where)
			} else if to.Is(graph.List) && to.Len() == 0 {
				l.bad(o.file, to, "where it may be sent, such as https://api.example.com/")
			}
		}
		return
	}
	for _, item := range l.texts(o, v, "names of environment variables, or a map of them to URLs") {
		l.variable(o, item, strings.TrimSuffix(strings.TrimPrefix(item.Text(), "${"), "}"), nil)
	}
}

// variable takes a value from the environment. One that is not set is not a fault
// of the rest: graphs that use it are refused.
func (l *loader) variable(o origin, at graph.Value, name string, to []egress.Prefix) {
	if !isVariable(name) {
		l.bad(o.file, at, "the name of an environment variable")
		return
	}
	value, set := l.expander.environ(name)
	if !set {
		d := o.file.Diagnostics.Report(ruleMissingVariable, at.Path(), at.Range(), "the environment variable %q, for http nodes, is not set", name)
		d.Hint = "set " + name + " in the environment that patchbay starts in; graphs that use it are refused until then"
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
	{"allow", needsTrust, "What `http` nodes may request. Each URL allows its scheme, host and port, and its path with everything below it.", "none", value{"list of URLs", (*loader).allow, nil}},
	{"private", needsTrust, "Hosts in `allow` that may have a private address.", "none", value{"list of hosts", (*loader).private, nil}},
	{
		"variables", needsTrust, "Environment variables that `http` nodes may use as `${NAME}`, each with the URLs to which its value may be sent. With a list of names, each value may be sent to any allowed URL.", "none",
		value{"map of names to URLs, or list of names", (*loader).variables, nil},
	},
	{
		"timeoutMs", needsTrust, "Time of one request, with its redirects and its response.", "30000",
		number(1, maxMillis, func(c *Config, n int64) { c.Egress.Timeout = time.Duration(n) * time.Millisecond }),
	},
	{
		"maxBytes", needsTrust, "Size of a response's body, decompressed, in bytes. The default is 10 MiB.", "10485760",
		number(1, 1<<30, func(c *Config, n int64) { c.Egress.MaxBytes = n }),
	},
}
