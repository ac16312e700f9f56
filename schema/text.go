package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// compact renders a value for a message, cut to a length people read.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return Cut(string(b), 80)
}

// CompactAll writes values as short JSON, separated by commas.
func CompactAll(vs []any) string {
	parts := make([]string, 0, len(vs))
	for _, v := range vs[:min(len(vs), 12)] {
		parts = append(parts, compact(v))
	}
	if len(vs) > 12 {
		parts = append(parts, fmt.Sprintf("and %d more", len(vs)-12))
	}
	return strings.Join(parts, ", ")
}

// QuoteAll writes names in double quotes, separated by commas.
func QuoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, ", ")
}

// Cut shortens s to at most n runes, the last being an ellipsis.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// CutJSON returns b, or when it is longer than n bytes a JSON string of its
// beginning.
func CutJSON(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	short, _ := json.Marshal(string(b[:n]) + "…")
	return short
}
