package author

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// editHint says how to change a draft where a fault has no fix that could be applied, or
// nothing.
func editHint(draft string, errors diag.List) string {
	i := slices.IndexFunc(errors, func(d *diag.Diagnostic) bool { return len(d.Fixes) == 0 })
	if i < 0 || draft == "" {
		return ""
	}
	return fmt.Sprintf(`edit_graph {"graph": %q, "ops": [{"op": "set", "path": %q, "value": "VALUE"}]} changes the draft (other ops: %s)`, draft, errors[i].Path, strings.Join(otherOps, ", "))
}

// otherOps are the operations of an edit but set.
var otherOps = []string{"add_node {node, after?}", "update_node {id, set}", "remove_node {id}", "connect {from, to}", "insert_between {from, to, node}", "rename_node {id, new_id}"}
