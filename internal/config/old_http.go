package config

import (
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// oldHTTP is the key that once held what are the sections serve and egress now.
const oldHTTP = "http"

// oldHTTP reads the section http as the sections that it has become.
func (l *loader) oldHTTP(o origin, v graph.Value) {
	if !l.is(o.file, v, graph.Map, "a map") {
		return
	}
	l.table(o, v, slices.Concat(serveSettings, egressSettings))
	root, key := v.Parent(), v.Parent().Key(oldHTTP)
	d := o.file.Diagnostics.Report(ruleOldSetting, key.Path(), key.Range(), "the section http is now serve and egress")
	d.Hint = "write addr and allowedOrigins under serve, and the other settings under egress"
	if root.Get("serve").Exists() || root.Get("egress").Exists() {
		return
	}
	var served []string // the keys of v that belong under serve
	for _, s := range serveSettings {
		if v.Get(s.key).Exists() {
			served = append(served, s.key)
		}
	}
	switch {
	case len(served) == 0:
		d.Fixes = []diag.Fix{root.RenameKey(`rename to "egress"`, oldHTTP, "egress")}
	case len(served) == len(v.Keys()):
		d.Fixes = []diag.Fix{root.RenameKey(`rename to "serve"`, oldHTTP, "serve")}
	default:
		fixes := []diag.Fix{root.RenameKey("", oldHTTP, "egress")}
		moved := map[string]any{}
		for _, key := range served {
			moved[key] = json.RawMessage(v.Get(key).JSON())
			fixes = append(fixes, v.Get(key).Remove(""))
		}
		fixes = append(fixes, root.Insert("", "serve", moved, ""))
		d.Fixes = []diag.Fix{graph.Join("split into serve and egress", fixes...)}
	}
}
