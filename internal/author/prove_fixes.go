package author

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// How much is spent on proving fixes before they are shown: so many checks are made, of texts
// of so many bytes together.
const (
	maxProven      = 12
	maxProvenBytes = 64 << 10
)

// ProveFixes withdraws fixes that leave the graph no better. It tries the first ones;
// the others are shown as they are.
func (au *Author) ProveFixes(ctx context.Context, c *plans.Checked, tool string) *diag.Fault {
	left := min(maxProven, maxProvenBytes/max(1, len(c.Source.Text)))
	for _, d := range c.Found {
		for len(d.Fixes) > 0 && left > 0 {
			helps, checks, fault := au.helps(ctx, c, d, tool)
			if fault != nil {
				return fault
			}
			if left -= checks; helps {
				break
			}
			d.Fixes = d.Fixes[1:]
		}
	}
	return nil
}

// fixSteps is how many fixes of a place may follow each other until it is better: one
// that corrects a name may lay bare what is wrong with the value.
const fixSteps = 3

// helps reports whether the first fix of d leaves the graph better, alone or with the
// fixes that are offered for its place then, and how many checks that took. What is a
// patch without edits is not tried.
func (au *Author) helps(ctx context.Context, c *plans.Checked, d *diag.Diagnostic, tool string) (ok bool, checks int, _ *diag.Fault) {
	if len(d.Fixes[0].Edits) == 0 {
		return true, 0, nil
	}
	text := diag.ApplyEdits(c.Source.Text, d.Fixes[0].Edits)
	for checks < fixSteps {
		checks++
		after, fault := au.checkText(ctx, c, text, tool)
		if fault != nil || c.BetterWith(d, after) {
			return fault == nil, checks, fault
		}
		next, applied := diag.Apply(text, samePlace(after.Found, d))
		if applied == 0 || next == text {
			return false, checks, nil
		}
		text = next
	}
	return false, checks, nil
}

// samePlace are the findings about the node of d, or about its place where it is about
// no node.
func samePlace(l diag.List, d *diag.Diagnostic) diag.List {
	return lists.Only(l, func(x *diag.Diagnostic) bool { return x.Node == d.Node && (d.Node != "" || x.Path == d.Path) })
}

// checkText checks another text of the same graph.
func (au *Author) checkText(ctx context.Context, c *plans.Checked, text, tool string) (*plans.Checked, *diag.Fault) {
	next := *c.Source
	next.Text, next.Code = text, nil
	return au.plans.Check(ctx, &next, tool)
}
