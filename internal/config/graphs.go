package config

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// GraphsOfAgents is what agents may do with saved graphs.
type GraphsOfAgents int

// What agents may do with saved graphs.
const (
	AgentsExpose GraphsOfAgents = iota // save, change and delete them; what they save are tools
	AgentsSave                         // the same, but a person approves what becomes a tool
	AgentsOff                          // only use them
)

// graphSettings are about saved graphs.
var graphSettings = []setting{
	{"dir", needsTrust, "Where saved graphs are kept, one YAML file each.", "`$XDG_DATA_HOME/patchbay/graphs`", folder(func(c *Config, dir string) { c.GraphsDir = dir })},
	{
		"agents", needsTrust, "What agents may do with saved graphs. `expose`: save, change and delete them, and what they save are tools of the server; `save`: the same, but what an agent has saved becomes a tool only after `patchbay graphs approve`; `off`: only use them.", "expose",
		value{"`off`, `save` or `expose`", (*loader).graphsOfAgents, nil},
	},
}

// graphs reads where saved graphs are, or more about them.
func (l *loader) graphs(o origin, v graph.Value) {
	l.cfg.ForeignGraphs = o.base != l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if v.Is(graph.Object) {
		l.table(o, v, graphSettings)
		return
	}
	l.folderSetting(o, v, func(dir string) { l.cfg.GraphsDir = dir })
}

func (l *loader) graphsOfAgents(o origin, v graph.Value) {
	switch text := v.Text(); {
	case text == "expose":
		l.cfg.GraphsOfAgents = AgentsExpose
	case text == "save":
		l.cfg.GraphsOfAgents = AgentsSave
	case text == "off", v.Is(graph.Boolean) && !v.Bool(): // YAML readers take off for false
		l.cfg.GraphsOfAgents = AgentsOff
	default:
		l.cfg.GraphsOfAgents = AgentsOff // what cannot be read allows nothing
		o.bad(v, "off, save or expose")
	}
}

// Hooks is what the scripts of hooks have in common.
type Hooks struct {
	// ModulesDir has the hook modules, files NAME.js; it may not exist. "" has none.
	ModulesDir string
	Secrets    map[string]string // what scripts see as secrets.NAME
}

// hookSettings are about the scripts of hooks.
var hookSettings = []setting{
	{"modules", needsTrust, "The folder of the hook modules, files `NAME.js`.", "the folder `hooks` next to this file", folder(func(c *Config, dir string) { c.Hooks.ModulesDir = dir })},
	{"secrets", needsTrust, "Values that scripts see as `secrets.NAME`, by name. They are masked where data leaves the program. Without this, scripts see no secret.", "none", value{"map of strings", (*loader).hookSecrets, nil}},
}

// hookSecrets reads the values that scripts may see. One that cannot be read is left out.
func (l *loader) hookSecrets(o origin, v graph.Value) {
	if !o.is(v, graph.Object, "a map of names to values, such as {TOKEN: ${TOKEN}}") {
		return
	}
	for name, m := range v.Members() {
		text, ok := l.expanded(o, m, "a value")
		switch {
		case !isVariable(name):
			o.bad(v.Key(name), "a name of letters, digits and _")
		case ok:
			if l.cfg.Hooks.Secrets == nil {
				l.cfg.Hooks.Secrets = map[string]string{}
			}
			l.cfg.Hooks.Secrets[name] = text
			l.secrets = append(l.secrets, secrets.Secret{Name: name, Value: text})
		}
	}
}

// workflows reads the workflows of a configuration, each as a document of its own.
func (l *loader) workflows(o origin, list graph.Value) {
	if !o.is(list, graph.Array, "a list of workflows") {
		return
	}
	seen := map[string]bool{}
	for i, item := range list.Items() {
		if !o.is(item, graph.Object, "a workflow") {
			continue
		}
		name := item.Get("name")
		if !name.Is(graph.String) || name.Text() == "" || seen[name.Text()] {
			o.report(ruleBadSetting, item, "write name: <name>, different from the others", "workflow %d has no name of its own", i+1)
			continue
		}
		seen[name.Text()] = true
		path := fmt.Sprintf("%s (workflow %s)", o.file.Path, diag.Excerpt(name.Text()))
		doc, _ := graph.Parse(path, graph.Encode(item))
		if doc != nil {
			l.cfg.Workflows = append(l.cfg.Workflows, &Document{Path: path, Graph: doc})
		}
	}
}
