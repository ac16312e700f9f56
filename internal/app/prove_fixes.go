package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
)

// How much is spent on proving fixes before they are shown: so many checks are made, of texts
// of so many bytes together.
const (
	maxProven      = 12
	maxProvenBytes = 64 << 10
)

// proveFixes withdraws fixes that leave the graph no better. It tries the first ones;
// the others are shown as they are.
func (a *App) proveFixes(ctx context.Context, c *checked, tool string) *diag.Fault {
	left := min(maxProven, maxProvenBytes/max(1, len(c.source.text)))
	for _, d := range c.found {
		for len(d.Fixes) > 0 && left > 0 {
			helps, checks, fault := a.helps(ctx, c, d, tool)
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
func (a *App) helps(ctx context.Context, c *checked, d *diag.Diagnostic, tool string) (ok bool, checks int, _ *diag.Fault) {
	if len(d.Fixes[0].Edits) == 0 {
		return true, 0, nil
	}
	text := diag.ApplyEdits(c.source.text, d.Fixes[0].Edits)
	for checks < fixSteps {
		checks++
		after, fault := a.checkText(ctx, c, text, tool)
		if fault != nil || c.betterWith(d, after) {
			return fault == nil, checks, fault
		}
		next, applied := diag.Apply(text, samePlace(after.found, d))
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
	var same diag.List
	for _, x := range l {
		if x.Node == d.Node && (d.Node != "" || x.Path == d.Path) {
			same = append(same, x)
		}
	}
	return same
}

// checkText checks another text of the same graph.
func (a *App) checkText(ctx context.Context, c *checked, text, tool string) (*checked, *diag.Fault) {
	next := *c.source
	next.text = text
	return a.check(ctx, &next, tool)
}

// betterWith reports whether a fix of d leaves the graph better: an error is gone and no
// other has come, or something less is and there are no more errors. What cannot be read
// hides the faults behind it, so that there may be more of them.
func (c *checked) betterWith(d *diag.Diagnostic, after *checked) bool {
	if c.doc == nil || d.Code == "syntax" {
		return after.doc != nil || !contains(after.found, d)
	}
	return after.doc != nil && (len(after.found.With(diag.Error)) < len(c.found.With(diag.Error)) || d.Severity != diag.Error && c.worseThan(after))
}

// worseThan reports whether a graph has more errors than another, or as many and more of
// what is less.
func (c *checked) worseThan(after *checked) bool {
	before, now := len(c.found.With(diag.Error)), len(after.found.With(diag.Error))
	return now < before || now == before && len(after.found) < len(c.found)
}

// contains reports whether a list has the same finding.
func contains(l diag.List, d *diag.Diagnostic) bool {
	for _, x := range l {
		if x.Code == d.Code && x.Message == d.Message && x.Range == d.Range {
			return true
		}
	}
	return false
}
