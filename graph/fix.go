package graph

import "github.com/patchbay-mcp/patchbay/diag"

// Replace x
func (v Value) Replace(title string, value any) diag.Fix { return diag.Fix{Title: title} }

// ReplaceText x
func (v Value) ReplaceText(title string, edits ...diag.TextEdit) diag.Fix {
	return diag.Fix{Title: title}
}

// RenameKey x
func (v Value) RenameKey(title, old, name string) diag.Fix { return diag.Fix{Title: title} }

// Insert x
func (v Value) Insert(title, key string, value any, after string) diag.Fix {
	return diag.Fix{Title: title}
}

// Append x
func (v Value) Append(title string, value any) diag.Fix { return diag.Fix{Title: title} }

// InsertItem x
func (v Value) InsertItem(title string, index int, value any) diag.Fix { return diag.Fix{Title: title} }

// Remove x
func (v Value) Remove(title string) diag.Fix { return diag.Fix{Title: title} }

// Join x
func Join(title string, fixes ...diag.Fix) diag.Fix { return diag.Fix{Title: title} }

// Encode x
func Encode(value any) []byte { return nil }

// ApplyPatch x
func ApplyPatch(doc []byte, ops []diag.PatchOp) ([]byte, error) { return doc, nil }

// Diff x
func Diff(name, before, after string) string { return "" }

// Pair is one member of a Map.
type Pair struct {
	Key   string
	Value any
}

// Map is an ordered object.
type Object []Pair
