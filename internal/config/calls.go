package config

// Calls says which calls of downstream tools are made, as patterns of server/tool. Of
// several that describe a tool, Deny has precedence over Confirm, and Confirm over Allow.
type Calls struct {
	Allow   []string // nobody is asked
	Confirm []string // a person is asked, whoever sends the call
	Deny    []string // nobody can use the tool
}

// A Policy says what happens to the calls of a tool.
type Policy int

// The policies. A tool that no pattern describes is PolicyByHint: a person is asked if an
// agent sends the call and the tool declares that it is destructive.
const (
	PolicyByHint Policy = iota
	PolicyAllow
	PolicyConfirm
	PolicyDeny
)

// Of returns what happens to the calls of a tool.
func (c *Calls) Of(server, tool string) Policy {
	name := server + "/" + tool
	switch {
	case matchAny(c.Deny, name):
		return PolicyDeny
	case matchAny(c.Confirm, name):
		return PolicyConfirm
	case matchAny(c.Allow, name):
		return PolicyAllow
	}
	return PolicyByHint
}

// callSettings are about which calls are made.
var callSettings = []setting{
	{
		"allow", needsTrust, "Tools that are called without asking, as patterns of `SERVER/TOOL` in which `*` stands for any characters and `?` for one.", "all that are not declared destructive",
		patterns(func(c *Config) *[]string { return &c.Calls.Allow }),
	},
	{
		"confirm", needsTrust, "Tools whose calls a person must permit, whoever sends them, as such patterns. `confirm` has precedence over `allow`.", "those that are declared destructive (`destructiveHint`), if an agent sends the call",
		patterns(func(c *Config) *[]string { return &c.Calls.Confirm }),
	},
	{
		"deny", needsTrust, "Tools that nobody can use, as such patterns: not found, not called, and not used in graphs. `deny` has precedence over the others.", "none",
		patterns(func(c *Config) *[]string { return &c.Calls.Deny }),
	},
}
