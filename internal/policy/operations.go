package policy

import (
	"cmp"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// ScopeOf is the scope that a principal needs for a tool. For a saved graph, and for a tool
// of the gateway, it is [access.Run].
func (pol *Policy) ScopeOf(tool string) string { return cmp.Or(pol.reserved[tool], access.Run) }

// IsOperation reports whether a tool is one of Patchbay's own.
func (pol *Policy) IsOperation(tool string) bool { return pol.reserved[tool] != "" }
