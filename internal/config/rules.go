package config

import (
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleUnknownSetting = diag.Define("unknown-setting", diag.Error, "The configuration has an unknown key. "+
		"Every key of patchbay.yaml and of a graph's file must be a known one.")
	ruleForeignKey = diag.Define("foreign-setting", diag.Note, "A key of another client's file, given with --mcp, is not known. "+
		"It has no effect here.")
	ruleMisspeltKey = diag.Define("misspelt-setting", diag.Warning, "A key of another client's file, given with --mcp, is probably misspelt. "+
		"If it belongs to a server, the server is listed as failed.")
	ruleForeignServer = diag.Define("unusable-server", diag.Warning, "A server of another client's file, given with --mcp, cannot be started as it is written there. "+
		"It is listed as failed; everything else starts.")
	ruleBadSetting = diag.Define("bad-setting", diag.Error, "A setting has a value of the wrong kind or outside its range.")
	ruleNoServers  = diag.Define("empty-mcp-file", diag.Error, "A file given with --mcp defines no servers. "+
		"It must contain a map \"mcpServers\" (or \"servers\", as VS Code writes it) from names to servers.")
	ruleServerName = diag.Define("bad-server-name", diag.Note, "A server's name cannot be part of a node's name, so that the server has another one here. "+
		"Letters, digits, \"_\", \"-\", \".\", \"@\" and single spaces may be used; the first must be a letter or a digit.")
	ruleServer = diag.Define("bad-server", diag.Error, "A server's entry does not say how to reach it. "+
		"A local server has a command, a remote one a url.")
	ruleCommand = diag.Define("command-with-arguments", diag.Warning, "A command seems to contain its arguments too. "+
		"It is started as one program, without a shell: put the arguments into args.")
	ruleDuplicateServer = diag.Define("duplicate-server", diag.Warning, "Two files define a server of the same name differently. "+
		"The later one counts: patchbay.yaml comes first, then --graph files, then --mcp files, each in the order given.")
	ruleUnsetVariable = diag.Define("unset-variable", diag.Error, "A setting uses an environment variable that is not set. "+
		"Set the variable, or give a default: ${VAR:-default}.")
	ruleShortSecret = diag.Define("short-secret", diag.Warning, "A value under secrets is too short to be masked: it would be found in ordinary words. "+
		"Use a longer secret.")
	ruleMissingVariable = diag.Define("missing-variable", diag.Warning, "A server's entry, egress.variables or secrets uses an environment variable that is not set. "+
		"The server is listed as failed, a graph that uses the variable is refused; everything else starts. Set the variable, or give a default: ${VAR:-default}.")
	ruleBadVariable = diag.Define("bad-variable", diag.Error, "A ${…} is not a variable. "+
		"Write ${VAR} or ${VAR:-default}; $${ is a literal ${.")
	ruleOldSetting = diag.Define("old-setting", diag.Warning, "A setting of patchbay.yaml has moved. It is still read at its old place. "+
		"The section http is now two sections: serve (addr, allowedOrigins) for what Patchbay serves, and egress (allow, private, variables, timeoutMs, maxBytes) for what http nodes may request.")
	ruleTrust = diag.Define("unknown-trusted-server", diag.Warning, "The trust list names a server that is not configured.")
)

// mcp reads a -m file.
func (l *loader) mcp(path string) {
	o, doc := l.open("mcp file", path, BlankComments)
	if doc == nil {
		return
	}
	o.foreign = true
	o.file.rootShape(doc)
	if !doc.Root.Is(graph.Object) {
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
			d.Offer(doc.Root.RenameKey(d.Hint, near, "mcpServers"))
		}
		return
	}
	o.unknown(doc.Root, []string{"mcpServers", "servers", "inputs", "mcp", "$schema"}, "the file")
}

// oldHTTP is the key that once held what are the sections serve and egress now.
const oldHTTP = "http"

// oldHTTP reads the section http as the sections that it has become.
func (l *loader) oldHTTP(o origin, v graph.Value) {
	if !o.is(v, graph.Object, "a map") {
		return
	}
	l.table(o, v, slices.Concat(serveSettings, egressSettings))
	root, key := v.Parent(), v.Parent().Key(oldHTTP)
	d := o.report(ruleOldSetting, key, "write addr and allowedOrigins under serve, and the other settings under egress", "the section http is now serve and egress")
	if root.Has("serve") || root.Has("egress") {
		return
	}
	var served []string // the keys of v that belong under serve
	for _, s := range serveSettings {
		if v.Has(s.key) {
			served = append(served, s.key)
		}
	}
	switch {
	case len(served) == 0:
		d.Offer(root.RenameKey(`rename to "egress"`, oldHTTP, "egress"))
	case len(served) == len(v.Keys()):
		d.Offer(root.RenameKey(`rename to "serve"`, oldHTTP, "serve"))
	default:
		fixes := []diag.Fix{root.RenameKey("", oldHTTP, "egress")}
		moved := map[string]any{}
		for _, key := range served {
			moved[key] = json.RawMessage(v.Get(key).JSON())
			fixes = append(fixes, v.Get(key).Remove(""))
		}
		fixes = append(fixes, root.Insert("", "serve", moved, ""))
		d.Offer(graph.Join("split into serve and egress", fixes...))
	}
}
