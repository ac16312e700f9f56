package execution

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/run"
)

// Allowances are for how long an answer can permit the calls that a question is about.
func (a Ask) Allowances() []string {
	var names []string
	for _, one := range policy.Allowances {
		if strings.Contains(string(a.Schema), strconv.Quote(one.Name)) {
			names = append(names, one.Name)
		}
	}
	return names
}

// AtClient returns the question as a client of MCP is asked it: only a person at the terminal,
// in the UI or with a link can permit calls for good.
func (a Ask) AtClient() Ask {
	if offered := a.Allowances(); a.Permits != "" && len(offered) > 0 {
		a.Schema = policy.AllowSchema(slices.DeleteFunc(offered, func(name string) bool { return name == run.AllowAlways }))
	}
	return a
}
