package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
)

// How much is spent on proving fixes before they are shown: so many are tried, of texts
// of so many bytes together. Each is one more check of the graph.
const (
	maxProven      = 8
	maxProvenBytes = 64 << 10
)

// proveFixes withdraws fixes that leave the graph no better. It tries the first ones;
// the others are shown as they are.
func (pb *App) proveFixes(ctx context.Context, c *checked, tool string) *diag.Fault {
	left := min(maxProven, maxProvenBytes/max(1, len(c.source.text)))
	for _, d := range c.found {
		for len(d.Fixes) > 0 && left > 0 {
			left--
			after, fault := pb.checkText(ctx, c, diag.ApplyEdits(c.source.text, d.Fixes[0].Edits), tool)
			if fault != nil {
				return fault
			}
			if c.betterWith(d, after) {
				break
			}
			d.Fixes = d.Fixes[1:]
		}
	}
	return nil
}

// checkText checks another text of the same graph.
func (pb *App) checkText(ctx context.Context, c *checked, text, tool string) (*checked, *diag.Fault) {
	next := *c.source
	next.text = text
	return pb.check(ctx, &next, tool)
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
