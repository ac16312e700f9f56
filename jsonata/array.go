package jsonata

// Arrays are plain []any. What JSONata knows about some of them beyond their items
// stands in their backing array, in the place after the last item, where nobody looks
// who does not ask: whether an array is a sequence, which stands for its item if it
// has only one. An array that is copied, cut or appended to is plain again.
type arrayMark uint8

const (
	plainArray   arrayMark = iota
	sequence               // none is undefined, one is itself
	keptSequence           // written with [], one stays an array
	consArray              // written out as a step of a path: not flattened
	wrappedInput           // a sequence of one array, which is the input as a whole
)

// readMark returns what is known of an array.
func readMark(items []any) arrayMark {
	if cap(items) > len(items) {
		if m, ok := items[: len(items)+1 : len(items)+1][len(items)].(arrayMark); ok {
			return m
		}
	}
	return plainArray
}

func isSequence(items []any) bool {
	m := readMark(items)
	return m != plainArray && m != consArray
}

// marked returns items with a mark. They must not be shared.
func marked(items []any, m arrayMark) []any { return append(items, any(m))[:len(items)] }

// collapse is the rule for a value that is done: a sequence of none is undefined, one
// of one item is that item, unless it is to stay an array.
func collapse(v any, keep bool) any {
	items, ok := v.([]any)
	if !ok || len(items) > 1 {
		return v
	}
	switch readMark(items) {
	case plainArray, consArray:
		return v
	case keptSequence:
		keep = true
	}
	switch {
	case len(items) == 0:
		return nil
	case keep:
		return marked(items[:1:1], keptSequence)
	}
	return items[0]
}

// collapseItems is collapse of new items, which become a sequence.
func collapseItems(items []any, keep bool) any {
	switch {
	case len(items) == 0:
		return nil
	case len(items) > 1:
		return marked(items, sequence)
	case keep:
		return marked(items, keptSequence)
	}
	return items[0]
}

// listItems returns v as an array: of nothing for undefined, else of one item.
func listItems(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// spread appends to items what v contributes to a sequence: the items of an array, or
// itself.
func spread(items []any, v any) []any {
	if list, ok := v.([]any); ok && readMark(list) != consArray {
		return append(items, list...)
	}
	return append(items, v)
}

// emptyArray returns an array of nothing that is another one than any else.
func emptyArray() []any { return []any{plainArray}[:0] }

// emptySequence has no room but for its mark: only new arrays are appended to.
var emptySequence = []any{sequence}[:0]
