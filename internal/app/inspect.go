package app

import (
	"context"
	"errors"
	"os"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/journal"
)

// Journal looks at the journal of the configuration: nil without one, or while nothing has
// run yet.
//
// Faults: journal-failed.
func (pb *App) Journal(ctx context.Context) (*journal.Inspection, *diag.Fault) {
	cfg := pb.Config()
	if cfg.Runs.Memory {
		return nil, nil
	}
	if _, err := os.Stat(cfg.Runs.File); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	in, err := journal.Inspect(ctx, cfg.Runs.File)
	if fault, ok := errors.AsType[*diag.Fault](err); ok {
		return nil, fault
	}
	return in, nil
}

// TestsOf returns how many tests are kept with a saved graph, and where.
//
// Faults: those of a file of tests that cannot be read.
func (pb *App) TestsOf(name string) (n int, file string, fault *diag.Fault) {
	file = pb.graphs.TestsPath(name)
	text, fault := pb.graphs.Tests(name, false)
	if fault != nil || text == "" {
		return 0, file, fault
	}
	cases, fault := readTests(file, text)
	return len(cases), file, fault
}
