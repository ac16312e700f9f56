package config

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/schedules"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// A Webhook starts a graph when somebody posts to /hooks/NAME.
type Webhook struct {
	Name   string
	Graph  string
	Body   string // the argument that gets the body; "" takes the body for the arguments
	Token  string // that the sender has; "" without one
	Secret string // with which the sender signs the body; "" without one
}

// Links are addresses at which a person answers the question of a run.
type Links struct {
	Notify string // a graph that is started for each question, or ""
	Hours  int    // how long a link can be used
}

// DefaultLinkHours is how long a link can be used unless the operator says otherwise.
const DefaultLinkHours = 72

const cronForm = "five fields such as 0 6 * * MON-FRI, or @hourly, @daily, @weekly, @monthly or @every 10m"

var linkSettings = []setting{
	{"notify", needsTrust, "A graph that is started for each question of a run, with `{run_id, graph, step, message, link, until?}`, so that it can tell a person.", "none", expandedText("the name of a graph", func(c *Config, s string) { c.Links.Notify = s })},
	{"hours", needsTrust, "How long a link can be used, in hours.", "72", number(1, 24*365, func(c *Config, n int64) { c.Links.Hours = int(n) })},
}

var hookName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`) })

// schedules reads the list of schedules. One without a name is called as its graph.
func (l *loader) schedules(o origin, v graph.Value) {
	if !l.is(o.file, v, graph.List, "a list of {graph, cron, arguments}") {
		return
	}
	seen := map[string]bool{}
	for i, item := range v.Items() {
		if !l.is(o.file, item, graph.Map, "a map with graph and cron") {
			continue
		}
		l.unknown(o, item, []string{"name", "graph", "cron", "arguments", "timezone"}, fmt.Sprintf("schedule %d", i+1))
		target, ok := l.required(o, item, "graph", "the name of a graph")
		when, ok2 := l.required(o, item, "cron", cronForm)
		if !ok || !ok2 {
			continue
		}
		name, _ := l.optional(o, item, "name")
		zone, _ := l.optional(o, item, "timezone")
		s, err := schedules.Parse(when, zone)
		if err != nil {
			d := o.file.Diagnostics.Report(ruleBadSetting, item.Path(), item.Get("cron").Range(), "%v", err)
			d.Hint = "write " + cronForm
			continue
		}
		if s.Name, s.Graph = name, target; name == "" {
			s.Name = target
		}
		if seen[s.Name] {
			d := o.file.Diagnostics.Report(ruleBadSetting, item.Path(), item.Range(), "two schedules are called %q", s.Name)
			d.Hint = "give one of them a name of its own: name: <name>"
			continue
		}
		seen[s.Name] = true
		if a := item.Get("arguments"); a.Exists() && !a.Is(graph.Null) {
			if !l.is(o.file, a, graph.Map, "a map of arguments") {
				continue
			}
			s.Arguments = a.JSON()
		}
		l.cfg.Schedules = append(l.cfg.Schedules, s)
	}
}

// webhooks reads the map of webhooks. One with a fault is left out: it could be open to more
// than the operator means.
func (l *loader) webhooks(o origin, v graph.Value) {
	if !l.is(o.file, v, graph.Map, "a map of names to {graph, token, secret, body}") {
		return
	}
	for _, name := range v.Keys() {
		item := v.Get(name)
		if !hookName().MatchString(name) {
			l.bad(o.file, v.Key(name), "a name of letters, digits, _, - and .")
			continue
		}
		if !l.is(o.file, item, graph.Map, "a map with graph") {
			continue
		}
		l.unknown(o, item, []string{"graph", "token", "secret", "body"}, fmt.Sprintf("webhook %q", name))
		h := Webhook{Name: name}
		sound := true
		for key, to := range map[string]*string{"token": &h.Token, "secret": &h.Secret, "body": &h.Body} {
			text, ok := l.optional(o, item, key)
			*to, sound = text, sound && ok
		}
		var ok bool
		if h.Graph, ok = l.required(o, item, "graph", "the name of a graph"); !ok || !sound {
			continue
		}
		l.secrets = append(l.secrets, secrets.Secret{Name: "webhooks." + name + ".token", Value: h.Token}, secrets.Secret{Name: "webhooks." + name + ".secret", Value: h.Secret})
		l.cfg.Webhooks = append(l.cfg.Webhooks, h)
	}
}

// required reads a text of a map that must have it.
func (l *loader) required(o origin, m graph.Value, key, what string) (string, bool) {
	if v := m.Get(key); v.Exists() && !v.Is(graph.Null) {
		return l.expanded(o, v, what)
	}
	d := o.file.Diagnostics.Report(ruleBadSetting, m.Path(), m.Range(), "there is no %s", key)
	d.Hint = "add " + key + ": " + what
	return "", false
}

// optional reads a text of a map, "" if it has none. It is false for one that is not a text,
// or is empty.
func (l *loader) optional(o origin, m graph.Value, key string) (string, bool) {
	v := m.Get(key)
	if !v.Exists() || v.Is(graph.Null) {
		return "", true
	}
	return l.expanded(o, v, "a string that is not empty")
}
