package graphfiles

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// MaxName is how long a saved graph's name may be: what every client takes as
// the name of a tool.
const MaxName = 64

var (
	legalName   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	illegalRuns = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	deviceName  = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

// checkName returns the fault invalid-name unless name can be a saved graph's:
// a file name on every system and a tool name for every client.
func checkName(name string) *diag.Fault {
	var why string
	switch {
	case name == "":
		why = "a saved graph needs a name"
	case len(name) > MaxName:
		why = fmt.Sprintf("graph name %q has %d bytes, more than %d", diag.Excerpt(name), len(name), MaxName)
	case deviceName.MatchString(name):
		why = fmt.Sprintf("graph name %q cannot be a file name on Windows", name)
	case !legalName.MatchString(name):
		why = fmt.Sprintf("graph name %q is not made of letters, digits, \"_\" and \"-\", with a letter first", diag.Excerpt(name))
	default:
		return nil
	}
	f := diag.Faultf("invalid-name", "%s", why)
	f.Path, f.Got, f.Hint = "/name", diag.Excerpt(name), "use a name such as count_files"
	if better := suggestName(name); better != "" {
		f.Suggestions, f.Hint = []string{better}, fmt.Sprintf("use a name such as %q", better)
	}
	return f
}

// suggestName is the nearest legal name, or "".
func suggestName(name string) string {
	better := strings.Trim(illegalRuns.ReplaceAllString(name, "_"), "_-")
	if better != "" && (better[0] < 'A' || deviceName.MatchString(better)) {
		better = "graph_" + better
	}
	better = strings.TrimRight(better[:min(len(better), MaxName)], "_-")
	if !legalName.MatchString(better) {
		return ""
	}
	return better
}
