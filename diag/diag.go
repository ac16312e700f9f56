// Package diag is the vocabulary of everything that can be wrong: a
// [Diagnostic] is an author's fault in a document (what, where, why, and how to
// fix it); a [Fault] is a caller's or the machine's fault.
//
// It knows nothing of graphs or expressions and imports nothing of ours, so
// every other package may import it.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// A Severity says what a diagnostic means for the document it is about.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the graph is refused
	Warning Severity = "warning" // the graph runs, probably not as meant
	Note    Severity = "note"    // worth knowing; nothing needs to change
)

// A Rule is one thing that can be wrong. Its Code is a stable kebab-case slug
// that agents, tests, docs and suppressions refer to: it is never reused.
type Rule struct {
	Code     string
	Severity Severity
	Doc      string // first sentence: a summary; the rest: why, and what to do
}

// Example is the name, without its extension, of the file in testdata/err that shows
// the rule: a source with the fault. Next to it are what is reported about it (.out)
// and the source after the first fixes (.fixed). Every rule has one: it is the example
// of the rule's page, and the first test of the check.
func (r *Rule) Example() string { return r.Code }

var rules = map[string]*Rule{}

// Define declares a rule. Call it in a package-level var next to the check that
// reports it. It panics when the code is already taken.
func Define(code string, sev Severity, doc string) *Rule {
	if _, dup := rules[code]; dup {
		panic("diag: rule defined twice: " + code)
	}
	r := &Rule{Code: code, Severity: sev, Doc: doc}
	rules[code] = r
	return r
}

// Rules returns every rule linked into the program, sorted by code.
func Rules() []*Rule {
	all := make([]*Rule, 0, len(rules))
	for _, r := range rules {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Rule) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// A Pos is a place in a source text. Line and Column are 1-based and Column
// counts runes; Offset counts bytes from 0.
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"-"`
}

// A Range is the half-open span [Start, End) of a source text. The zero Range
// means that no place is known.
type Range struct {
	Start Pos `json:"start"`
	End   Pos `json:"end"`
}

// IsZero reports whether the place is unknown.
func (r Range) IsZero() bool { return r == Range{} }

// A Diagnostic is one finding about a document. Path is a JSON Pointer
// (RFC 6901) into it; Node is the id of the graph node concerned, if any.
type Diagnostic struct {
	Code     string    `json:"code"`
	Severity Severity  `json:"severity"`
	Path     string    `json:"path"`
	Node     string    `json:"node,omitempty"`
	Range    Range     `json:"range,omitzero"`
	Message  string    `json:"message"` // one lower-case sentence, no final period
	Hint     string    `json:"hint,omitempty"`
	Got      any       `json:"got,omitempty"`
	Want     any       `json:"want,omitempty"`
	Related  []Related `json:"related,omitempty"`
	Fixes    []Fix     `json:"fixes,omitempty"` // alternatives, best first; apply at most one
}

// Related points at a second place that explains the first.
type Related struct {
	Path    string `json:"path"`
	Range   Range  `json:"range,omitzero"`
	Message string `json:"message"`
}

// A Fix is one change that removes the diagnostic it hangs on. Edits and Patch
// say the same thing, once over the source text and once over its data.
type Fix struct {
	Title string     `json:"title"` // a verb phrase: rename to "next"
	Edits []TextEdit `json:"-"`
	Patch []PatchOp  `json:"patch,omitempty"`
}

// A TextEdit replaces the source bytes [Start, End) with New.
type TextEdit struct {
	Start, End int
	New        string
}

// A PatchOp is one operation of an RFC 6902 JSON Patch.
type PatchOp struct {
	Op    string `json:"op"`
	From  string `json:"from,omitempty"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// A List is a report. Its zero value is empty and ready.
type List []*Diagnostic

// Report appends a diagnostic of rule r and returns it for further detail.
func (l *List) Report(r *Rule, path string, at Range, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Code: r.Code, Severity: r.Severity, Path: path, Range: at, Message: fmt.Sprintf(format, args...)}
	*l = append(*l, d)
	return d
}

// WithFix sets what to do about d, and the fixes that do it, best first. It returns d.
func (d *Diagnostic) WithFix(hint string, fixes ...Fix) *Diagnostic {
	d.Hint, d.Fixes = hint, fixes
	return d
}

// Offer adds fixes to those of d, after the ones that are better.
func (d *Diagnostic) Offer(fixes ...Fix) { d.Fixes = append(d.Fixes, fixes...) }

// HasErrors reports whether any diagnostic has severity Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// With returns the diagnostics of one severity, in l's order, never nil.
func (l List) With(s Severity) List {
	out := List{}
	for _, d := range l {
		if d.Severity == s {
			out = append(out, d)
		}
	}
	return out
}

// Sort returns l in order of position, then path and code, without exact repeats. It
// leaves l as it is.
func (l List) Sort() List {
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(a, b *Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(l, func(a, b *Diagnostic) bool {
		return a.Range == b.Range && a.Path == b.Path && a.Code == b.Code && a.Message == b.Message
	})
}
