package graphfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

// lockWait is how long a change waits for another process that changes the same
// directory; such a change takes milliseconds.
const lockWait = 5 * time.Second

// lock makes the directory and keeps other changes of it out, those of other
// processes too.
func (g *Graphs) lock() (unlock func(), _ *diag.Fault) {
	if err := os.MkdirAll(g.dir, 0o755); err != nil {
		return nil, notSaved("", err)
	}
	type held struct {
		unlock func()
		err    error
	}
	got := make(chan held, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(g.dir, ".lock")).Lock()
		got <- held{unlock, err}
	}()
	timer := time.NewTimer(lockWait)
	defer timer.Stop()
	select {
	case h := <-got:
		if h.err != nil {
			return nil, notSaved("", h.err)
		}
		return h.unlock, nil
	case <-timer.C:
		go func() {
			if h := <-got; h.err == nil {
				h.unlock()
			}
		}()
		f := diag.Faultf("graphs-busy", "another process has been changing the folder of saved graphs for %s", lockWait)
		f.Hint = "try again; if that fails too, look for a suspended patchbay process"
		return nil, f
	}
}

// notSaved is the fault of a directory that cannot be written.
func notSaved(name string, err error) *diag.Fault {
	what := "the folder of saved graphs"
	if name != "" {
		what = fmt.Sprintf("graph %q", name)
	}
	f := diag.Faultf("not-saved", "%s cannot be changed: %w", what, files.Reason(err))
	f.Hint = "check that the folder of saved graphs can be written and its disk is not full"
	return f
}
