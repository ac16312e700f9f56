package graphfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// MaxName is how long a saved graph's name may be: what every client takes as
// the name of a tool.
const MaxName = 64

var (
	legalName   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	illegalRuns = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	deviceName  = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

var (
	codeInvalidName = diag.DefineFault("invalid-name", diag.RefusesRequest, "the name cannot be the name of a tool", "letters, digits, `_` and `-`, at most 64")
	codeGraphsBusy  = diag.DefineFault("graphs-busy", diag.RefusesRequest, "another process is changing the folder of saved graphs", "try again")
	CodeNotSaved    = diag.DefineFault("not-saved", diag.RefusesRequest, "the file of the graph, or that of [permitted calls](security.md#destructive-tools), cannot be written, or be read", "check the folder's permissions")
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
	f := diag.Faultf(codeInvalidName, "%s", why)
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

// lock makes the directory and keeps other changes of it out, those of other
// processes too. It refuses a directory whose own folders are links: they may have come
// with it, and what is written or deleted there would be elsewhere.
func (g *Graphs) lock() (unlock func(), _ *diag.Fault) {
	if err := os.MkdirAll(g.dir, 0o755); err != nil {
		return nil, notSaved("", err)
	}
	for _, own := range []string{pinsDir, originsDir, historyDir, ".graphs.lock"} {
		if isLink(filepath.Join(g.dir, own)) {
			return nil, notSaved("", fmt.Errorf("%s in it is a symbolic link, which is not followed: remove the link", own))
		}
	}
	unlock, err := files.Folder(g.dir).Lock("graphs")
	if errors.Is(err, files.ErrLocked) {
		return nil, diag.Faultf(codeGraphsBusy, "another process has been changing the folder of saved graphs for %s", files.LockWait).
			WithHint("try again; if that fails too, look for a suspended patchbay process")
	}
	if err != nil {
		return nil, notSaved("", err)
	}
	return unlock, nil
}

// notSaved is the fault of a directory that cannot be written.
func notSaved(name string, err error) *diag.Fault {
	what := "the folder of saved graphs"
	if name != "" {
		what = fmt.Sprintf("graph %q", name)
	}
	return diag.Faultf(CodeNotSaved, "%s cannot be changed: %w", what, files.Reason(err)).
		WithHint("check that the folder of saved graphs can be written and its disk is not full")
}
