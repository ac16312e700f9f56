package apis

import (
	"cmp"
	"strconv"
	"strings"
)

// maxName is how many bytes the name of an MCP tool may have.
const maxName = 128

// Names gives names to the tools of one server. The zero Names are usable.
type Names struct{ taken map[string]int } // the number that is tried next

// Take returns a name by MCP's rules: letters, digits, "_", "-" and ".", at most 128 bytes.
// Anything else becomes "_". A name that is taken gets "_2", "_3" and so on, which renamed
// reports.
func (n *Names) Take(name string) (unique string, renamed bool) {
	legal := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	legal = cmp.Or(legal, "_")
	legal = legal[:min(len(legal), maxName)]
	unique = legal
	for i := max(2, n.taken[legal]); n.taken[unique] > 0; i++ {
		suffix := "_" + strconv.Itoa(i)
		unique = legal[:min(len(legal), maxName-len(suffix))] + suffix
		n.taken[legal] = i + 1
		renamed = true
	}
	if n.taken == nil {
		n.taken = map[string]int{}
	}
	n.taken[unique] = 2
	return unique, renamed
}
