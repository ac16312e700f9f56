package app

import (
	"fmt"
	"strings"
)

// Explanation says what each part of the score gave, in the units of the ranking. It is
// "" unless the search was asked to explain.
func (h *SearchHit) Explanation() string {
	p := h.Parts
	if p == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "words %.2f", p.Words)
	for _, part := range []struct {
		name string
		gave float64
	}{{"name", p.Name}, {"word order", p.Order}, {"best clause", p.Clause}} {
		if part.gave > 0 {
			fmt.Fprintf(&b, " + %s %.2f", part.name, part.gave)
		}
	}
	fmt.Fprintf(&b, ", × %.2f for the share that matches", p.Share)
	if p.Exact > 0 {
		fmt.Fprintf(&b, ", + exact name %.2f", p.Exact)
	}
	return b.String()
}
