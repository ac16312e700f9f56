package config

import "github.com/patchbay-mcp/patchbay/graph"

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
	if v.Is(graph.Map) {
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
	case text == "off", v.Is(graph.Bool) && !v.Bool(): // YAML readers take off for false
		l.cfg.GraphsOfAgents = AgentsOff
	default:
		l.cfg.GraphsOfAgents = AgentsOff // what cannot be read allows nothing
		l.bad(o.file, v, "off, save or expose")
	}
}
