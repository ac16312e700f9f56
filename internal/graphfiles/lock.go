package graphfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

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
		return nil, diag.Faultf("graphs-busy", "another process has been changing the folder of saved graphs for %s", files.LockWait).
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
	return diag.Faultf("not-saved", "%s cannot be changed: %w", what, files.Reason(err)).
		WithHint("check that the folder of saved graphs can be written and its disk is not full")
}
