package config

import (
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

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
	if !l.is(o.file, v, graph.Map, "a map of names to values, such as {TOKEN: ${TOKEN}}") {
		return
	}
	for _, name := range v.Keys() {
		text, ok := l.expanded(o, v.Get(name), "a value")
		switch {
		case !isVariable(name):
			l.bad(o.file, v.Key(name), "a name of letters, digits and _")
		case ok:
			if l.cfg.Hooks.Secrets == nil {
				l.cfg.Hooks.Secrets = map[string]string{}
			}
			l.cfg.Hooks.Secrets[name] = text
			l.secrets = append(l.secrets, secrets.Secret{Name: name, Value: text})
		}
	}
}
