package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// compact renders a value for a message, cut to a length people read.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return diag.Cut(string(b), 80)
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
