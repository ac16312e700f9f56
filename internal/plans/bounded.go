package plans

import (
	"strings"
)

const (
	// How many times its text the compilation of a graph may take, and some.
	JsonFactor = 64
	yamlFactor = 120
	CheckBase  = 1 << 20
)

// ToCheck is how many bytes of memory the compilation of a graph may take.
func (s *Source) ToCheck() int64 {
	factor := int64(yamlFactor)
	if strings.HasPrefix(strings.TrimSpace(s.Text[:min(len(s.Text), 100)]), "{") {
		factor = JsonFactor
	}
	return CheckBase + factor*int64(len(s.Text))
}
