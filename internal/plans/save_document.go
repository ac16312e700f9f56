package plans

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/engine"
)

// Choose makes the plan that of the first name that a tool has, else of the first tool.
func (c *Checked) Choose(names ...string) {
	for _, name := range names {
		i := slices.IndexFunc(c.Plans, func(p *engine.Plan) bool { return p.Name == name })
		if i >= 0 && name != "" {
			c.Plan = c.Plans[i]
			return
		}
	}
	c.Plan = c.Plans[0]
}

// Missing lists what each tool lacks to be saved. The one that the file is named after
// may get its name from the call.
func (c *Checked) Missing(as string) []string {
	var missing []string
	for _, plan := range c.Plans {
		list := engine.MissingForSave(plan.Tool())
		if as != "" && plan == c.Plan && len(list) > 0 && list[0] == "name" {
			list = list[1:]
		}
		for _, what := range list {
			if plan != c.Plan {
				what = fmt.Sprintf("%s of %q", what, plan.Name)
			}
			missing = append(missing, what)
		}
	}
	return missing
}

// ToolNames lists the tools that are saved, those of a document by their own names.
func (c *Checked) ToolNames(saved string) []string {
	names := []string{saved}
	for _, plan := range c.Plans {
		if plan != c.Plan {
			names = append(names, plan.Name)
		}
	}
	return names
}
