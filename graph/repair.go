package graph

import "github.com/patchbay-mcp/patchbay/diag"

func (d *Document) repair(at, context int) (diag.Fix, string) {
	return diag.Fix{}, ""
}
