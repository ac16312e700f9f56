package config

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
)

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

// schedules reads the list of schedules. One without a name is called as its graph.
func (l *loader) schedules(o origin, v graph.Value) {
	if !o.is(v, graph.Array, "a list of {graph, cron, arguments}") {
		return
	}
	seen := map[string]bool{}
	for i, item := range v.Items() {
		if !o.is(item, graph.Object, "a map with graph and cron") {
			continue
		}
		o.unknown(item, []string{"name", "graph", "cron", "arguments", "timezone"}, fmt.Sprintf("schedule %d", i+1))
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
			o.report(ruleBadSetting, item, "give one of them a name of its own: name: <name>", "two schedules are called %q", s.Name)
			continue
		}
		seen[s.Name] = true
		if a := item.Get("arguments"); given(a) {
			if !o.is(a, graph.Object, "a map of arguments") {
				continue
			}
			s.Arguments = a.JSON()
		}
		l.cfg.Schedules = append(l.cfg.Schedules, s)
	}
}

// required reads a text of a map that must have it.
func (l *loader) required(o origin, m graph.Value, key, what string) (string, bool) {
	if v := m.Get(key); given(v) {
		return l.expanded(o, v, what)
	}
	o.report(ruleBadSetting, m, "add "+key+": "+what, "%s is missing", key)
	return "", false
}

// optional reads a text of a map, "" if it has none. It is false for one that is not a text,
// or is empty.
func (l *loader) optional(o origin, m graph.Value, key string) (string, bool) {
	v := m.Get(key)
	if !given(v) {
		return "", true
	}
	return l.expanded(o, v, "a string that is not empty")
}
