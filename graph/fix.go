package graph

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// Every fix says the same twice: as edits of the source, which leave everything
// outside of them as it is, comments too, and as a JSON Patch of the data. The
// edits belong to the Src of the value's document. A fix that cannot be made,
// such as a rename of a key that is not there, has neither.

// fixed makes a fix of edits to n's document and patch operations.
func (n *node) fixed(title string, edits []diag.TextEdit, ops ...diag.PatchOp) diag.Fix {
	if n.doc.Format == YAML {
		if eol := n.doc.newline(); eol != "\n" {
			for i := range edits {
				edits[i].New = strings.ReplaceAll(edits[i].New, "\n", eol)
			}
		}
	}
	return diag.Fix{Title: title, Edits: edits, Patch: ops}
}

// Replace returns the fix that puts value in the place of v. value is anything
// that encoding/json takes; in a json.RawMessage and in an [Members] the keys
// keep their order.
func (v Value) Replace(title string, value any) diag.Fix {
	d, err := newDatum(value)
	if v.n == nil || err != nil || v.n.key {
		return diag.Fix{Title: title}
	}
	return v.n.fixed(title, v.n.replaced(d), diag.PatchOp{Op: "replace", Path: v.Path(), Value: d.raw()})
}

// RenameKey returns the fix that renames a map's key, in its place. It is empty
// if there is no key old, or already one called name.
func (v Value) RenameKey(title, old, name string) diag.Fix {
	k := v.key(old)
	if k == nil || v.key(name) != nil {
		return diag.Fix{Title: title}
	}
	path := v.Path() + "/"
	op := diag.PatchOp{Op: "move", From: path + diag.EscapePointer(old), Path: path + diag.EscapePointer(name)}
	if v.n.odd {
		return v.n.fixed(title, v.n.reworked(func(d *datum) { d.keys[slices.Index(d.keys, old)] = name }), op)
	}
	src, end := v.n.doc.Src, k.stop()
	text := keyText(name, v.n.style != block)
	if v.n.doc.Format == JSON || end < len(src) && src[end] == ':' && !spaceAt(src, end+1) {
		text = doubleQuoted(name)
	}
	return v.n.fixed(title, []diag.TextEdit{{Start: int(k.start), End: end, New: text}}, op)
}

// Remove returns the fix that removes v from the map or list that holds it,
// with its key, its lines and the comments on them. It is empty for the root.
func (v Value) Remove(title string) diag.Fix {
	if v.n == nil || v.n.parent == nil || v.n.key {
		return diag.Fix{Title: title}
	}
	return v.n.fixed(title, v.n.removed(), diag.PatchOp{Op: "remove", Path: v.Path()})
}

// RemoveFirst returns the fix that removes the first members of the map v, at most all but
// one of them, up to the key of the next.
func (v Value) RemoveFirst(title string, members int) diag.Fix {
	members = min(members, v.Len()-1)
	if !v.Is(Object) || members <= 0 {
		return diag.Fix{Title: title}
	}
	ops := lists.Each(v.Keys()[:members], func(key string) diag.PatchOp {
		return diag.PatchOp{Op: "remove", Path: v.Path() + "/" + diag.EscapePointer(key)}
	})
	return v.n.fixed(title, []diag.TextEdit{{Start: int(v.n.kids[0].start), End: int(v.n.kids[2*members].start)}}, ops...)
}

// Insert returns the fix that adds a member to the map v, after the key after,
// or at the end if there is no such key. A key that v already has gets the new
// value instead; a null becomes a map. It is empty for any other value.
func (v Value) Insert(title, key string, value any, after string) diag.Fix {
	d, err := newDatum(value)
	switch {
	case err != nil:
		return diag.Fix{Title: title}
	case v.Is(Null):
		return v.Replace(title, Members{{key, d.raw()}})
	case !v.Is(Object):
		return diag.Fix{Title: title}
	case v.key(key) != nil:
		return v.Get(key).Replace(title, value)
	}
	last := v.key(after)
	op := diag.PatchOp{Op: "add", Path: v.Path() + "/" + diag.EscapePointer(key), Value: d.raw()}
	return v.n.fixed(title, v.n.inserted(key, d, last), op)
}

// Append returns the fix that adds an item at the end of the list v.
func (v Value) Append(title string, value any) diag.Fix {
	return v.InsertItem(title, v.Len(), value)
}

// InsertItem returns the fix that adds an item to the list v, so that it has
// the given index, which is clamped to the list. A null becomes a list. It is
// empty for any other value.
func (v Value) InsertItem(title string, index int, value any) diag.Fix {
	d, err := newDatum(value)
	switch {
	case err != nil:
		return diag.Fix{Title: title}
	case v.Is(Null):
		return v.Replace(title, []any{d.raw()})
	case !v.Is(Array):
		return diag.Fix{Title: title}
	}
	index = max(0, min(index, v.Len()))
	op := diag.PatchOp{Op: "add", Path: v.Path() + "/" + strconv.Itoa(index), Value: d.raw()}
	return v.n.fixed(title, v.n.itemInserted(index, d), op)
}

// ReplaceText returns the fix that makes edits inside a text: Start and End
// count bytes of the decoded text. The edits are made at their exact places
// where the way the text is written can hold the result, and else the text is
// quoted anew.
func (v Value) ReplaceText(title string, edits ...diag.TextEdit) diag.Fix {
	if v.n == nil || v.n.key || len(v.n.kids) > 0 {
		return diag.Fix{Title: title}
	}
	for _, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > len(v.n.text) {
			return diag.Fix{Title: title}
		}
	}
	if conflict(edits) {
		return diag.Fix{Title: title}
	}
	d, err := newDatum(diag.ApplyEdits(v.n.text, edits))
	if err != nil {
		return diag.Fix{Title: title}
	}
	op := diag.PatchOp{Op: "replace", Path: v.Path(), Value: d.raw()}
	if exact := v.n.textReplaced(d.text, edits); exact != nil {
		return v.n.fixed(title, exact, op)
	}
	return v.n.fixed(title, v.n.replaced(d), op)
}

// Join returns one fix that makes all of the given ones, which all belong to
// the same source. If their edits touch each other it has a patch but no edits.
func Join(title string, fixes ...diag.Fix) diag.Fix {
	joined := diag.Fix{Title: title}
	for _, f := range fixes {
		for _, e := range f.Edits {
			if !slices.Contains(joined.Edits, e) || e.Start == e.End {
				joined.Edits = append(joined.Edits, e)
			}
		}
		joined.Patch = append(joined.Patch, f.Patch...)
	}
	// All patches speak of the document as it is, so that those further back
	// go first: a removed item moves only what follows it.
	slices.Reverse(joined.Patch)
	slices.SortStableFunc(joined.Patch, func(a, b diag.PatchOp) int {
		return comparePointers(cmp.Or(b.From, b.Path), cmp.Or(a.From, a.Path))
	})
	slices.SortStableFunc(joined.Edits, func(a, b diag.TextEdit) int { return cmp.Compare(a.Start, b.Start) })
	if conflict(joined.Edits) {
		joined.Edits = nil
	}
	return joined
}

// conflict reports whether two edits overlap.
func conflict(edits []diag.TextEdit) bool {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b diag.TextEdit) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Start < sorted[i-1].End {
			return true
		}
	}
	return false
}

// comparePointers orders JSON Pointers as the places they lead to, list indexes
// by number.
func comparePointers(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a = cutPart(strings.TrimPrefix(a, "/"))
		y, b = cutPart(strings.TrimPrefix(b, "/"))
		i, ok := listIndex(x)
		j, ok2 := listIndex(y)
		if ok && ok2 && i != j {
			return cmp.Compare(i, j)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}
