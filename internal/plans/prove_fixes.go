package plans

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// BetterWith reports whether a fix of d leaves the graph better: an error is gone and no
// other has come, or something less is and there are no more errors. What cannot be read
// hides the faults behind it, so that there may be more of them.
func (c *Checked) BetterWith(d *diag.Diagnostic, after *Checked) bool {
	if c.Doc == nil || d.Code == "syntax" {
		return after.Doc != nil || !contains(after.Found, d)
	}
	return after.Doc != nil && (len(after.Found.With(diag.Error)) < len(c.Found.With(diag.Error)) || d.Severity != diag.Error && c.WorseThan(after))
}

// WorseThan reports whether a graph has more errors than another, or as many and more of
// what is less.
func (c *Checked) WorseThan(after *Checked) bool {
	before, now := len(c.Found.With(diag.Error)), len(after.Found.With(diag.Error))
	return now < before || now == before && len(after.Found) < len(c.Found)
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
