package config

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// mcp reads a -m file.
func (l *loader) mcp(path string) {
	o, doc := l.open("mcp file", path, BlankComments)
	if doc == nil {
		return
	}
	o.foreign = true
	o.file.rootShape(doc)
	if !doc.Root.Is(graph.Map) {
		return
	}
	maps := []graph.Value{doc.Root.Get("mcpServers"), doc.Root.Get("servers"), doc.Root.At("/mcp/servers")}
	found := false
	for _, m := range maps {
		if m.Exists() {
			found = true
			l.servers(o, m)
		}
	}
	if !found {
		d := o.file.Diagnostics.Report(ruleNoServers, "", doc.Root.Range(), "the file defines no servers")
		d.Range.End = d.Range.Start
		d.Hint = `write {"mcpServers": {"name": {"command": "…", "args": […]}}}`
		if near := diag.Closest("mcpServers", doc.Root.Keys()); near != "" {
			d.Range = doc.Root.Key(near).Range()
			d.Hint = `rename "` + near + `" to "mcpServers"`
			d.Fixes = []diag.Fix{doc.Root.RenameKey(d.Hint, near, "mcpServers")}
		}
		return
	}
	l.unknown(o, doc.Root, []string{"mcpServers", "servers", "inputs", "mcp", "$schema"}, "the file")
}
