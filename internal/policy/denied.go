package policy

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

var CodeToolDenied = diag.DefineFault("tool-denied", diag.FailsNode, "the operator's configuration denies the tool, or a [workflow](workflows.md#toolslist) has refused the list of tools", "use another tool, or [allow it](gateway.md#which-tools), or correct the workflow")

// Denial is the fault of a tool that the operator denies, nil for any other. Nobody can
// use one: it is not in the catalog, and no call of it leaves.
func (pol *Policy) Denial(server, tool string) *diag.Fault {
	by := pol.DeniedBy(server, tool)
	if by == "" {
		return nil
	}
	return diag.Faultf(CodeToolDenied, "the tool %q of server %q is denied", tool, server).WithHint("the operator denies it by " + by + " in the configuration")
}

// AllowedTools returns the tools of a server that the operator does not deny.
func (pol *Policy) AllowedTools(server string, tools []*tooldef.Tool) []*tooldef.Tool {
	if pol.Denied.Load() == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t *tooldef.Tool) bool { return pol.DeniedBy(server, t.Name) != "" })
}

// DeniedBy says whose setting denies a tool, "" if none does.
func (pol *Policy) DeniedBy(server, tool string) string {
	if denied := pol.Denied.Load(); denied != nil {
		return (*denied)(server, tool)
	}
	return ""
}
