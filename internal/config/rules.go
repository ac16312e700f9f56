package config

import (
	"github.com/patchbay-mcp/patchbay/diag"
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
	ruleServerName = diag.Define("bad-server-name", diag.Error, "A server's name cannot be part of a node's name. "+
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
