package jsonata

import "github.com/patchbay-mcp/patchbay/internal/regex"

// offset is where the n-th character of a text begins, from 0, or its length.
func offset(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := regex.DecodeRune(s[at:])
		at += size
	}
	return at
}

// gathered is an array of items: of nothing an array that no other is.
func gathered(items []any) []any {
	if items == nil {
		return emptyArray()
	}
	return items
}
