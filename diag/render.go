package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Format renders l for people: file:line:column, the message, the source line
// and a caret under the range, the hint, and the first fix.
func Format(name, src string, l List) string {
	lines := strings.Split(src, "\n")
	var b strings.Builder
	for _, d := range l {
		at := d.Range.Start
		if d.Range.IsZero() {
			fmt.Fprintf(&b, "%s: %s: %s [%s]\n", name, d.Severity, d.Message, d.Code)
		} else {
			fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", name, at.Line, at.Column, d.Severity, d.Message, d.Code)
			if at.Line <= len(lines) {
				b.WriteString(caret(lines[at.Line-1], d.Range))
			}
		}
		if d.Hint != "" {
			fmt.Fprintf(&b, "     = hint: %s\n", d.Hint)
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "     = note: %s:%d:%d: %s\n", name, r.Range.Start.Line, r.Range.Start.Column, r.Message)
		}
		if len(d.Fixes) > 0 {
			fmt.Fprintf(&b, "     = fix: %s\n", d.Fixes[0].Title)
		}
	}
	return b.String()
}

// lineWidth is how much of a source line a rendering shows around the caret.
const lineWidth = 160

func caret(line string, r Range) string {
	text := []rune(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", " "))
	from := min(r.Start.Column-1, len(text))
	width := 1
	if r.End.Line == r.Start.Line {
		width = max(1, r.End.Column-r.Start.Column)
	}
	if cut := from - lineWidth/2; cut > 0 && len(text) > lineWidth {
		text, from = append([]rune("…"), text[cut:]...), from-cut+1
	}
	if len(text) > lineWidth {
		text = append(text[:lineWidth:lineWidth], '…')
	}
	width = min(width, max(1, len(text)-from))
	return fmt.Sprintf("%4d | %s\n     | %s^%s\n", r.Start.Line, string(text), strings.Repeat(" ", from), strings.Repeat("~", width-1))
}

// Apply returns src with the first fix of every diagnostic applied, and how
// many fixes that were. A fix whose edits overlap those of an earlier one is
// left for the next round.
func Apply(src string, l List) (string, int) {
	var edits []TextEdit
	applied := 0
	for _, d := range l {
		if len(d.Fixes) == 0 || len(d.Fixes[0].Edits) == 0 || overlaps(edits, d.Fixes[0].Edits) {
			continue
		}
		edits = append(edits, d.Fixes[0].Edits...)
		applied++
	}
	return ApplyEdits(src, edits), applied
}

// Replace returns the edit that writes text in the place of the bytes [start, end).
func Replace(start, end int, text string) []TextEdit {
	return []TextEdit{{Start: start, End: end, New: text}}
}

// Insert returns the edit that inserts text at a byte offset.
func Insert(at int, text string) []TextEdit { return Replace(at, at, text) }

// Surround returns the edits that insert text before and after the bytes [start, end).
func Surround(start, end int, before, after string) []TextEdit {
	return append(Insert(start, before), Insert(end, after)...)
}

// ApplyEdits returns src with edits made. They may come in any order and must
// not overlap.
func ApplyEdits(src string, edits []TextEdit) string {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b TextEdit) int { return cmp.Compare(a.Start, b.Start) })
	var b strings.Builder
	at := 0
	for _, e := range sorted {
		b.WriteString(src[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(src[at:])
	return b.String()
}

// overlaps reports whether any two edits, one of each side, touch the same
// bytes, or one inserts where the other begins or ends: text inserted after the last
// member of a map is in the wrong place once that member is removed.
func overlaps(have, more []TextEdit) bool {
	for _, a := range have {
		for _, b := range more {
			inserts := a.Start == a.End || b.Start == b.End
			if a.Start < b.End && b.Start < a.End || a.Start == b.Start || inserts && a.Start <= b.End && b.Start <= a.End {
				return true
			}
		}
	}
	return false
}
