package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// MaxShown is how many bytes of a value a fault shows.
const MaxShown = 2048

// Fault is the fault of a value that does not satisfy a schema: its path is base and
// the place of the first mismatch, its message names five.
func Fault(code, message, base string, found []Mismatch) *diag.Fault {
	f := &diag.Fault{Code: code, Path: base, Want: found[0].Want}
	if at := found[0].Pointer(); len(at) <= MaxShown {
		f.Path += at
	}
	if found[0].Keyword == "type" || found[0].Keyword == "enum" {
		f.Got = found[0].Got
		if b, err := json.Marshal(f.Got); err == nil && len(b) > MaxShown {
			f.Got = json.RawMessage(diag.CutJSON(b, MaxShown))
		}
	}
	var parts []string
	for i, m := range found {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		where := "at " + m.Pointer()
		if m.Pointer() == "" {
			where = "at the top"
		}
		parts = append(parts, where+" "+m.Message)
	}
	f.Message = diag.Brief(message + ": " + strings.Join(parts, "; "))
	return f
}
