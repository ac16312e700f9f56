package library

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// CountTests returns how many tests are kept with a saved graph, and where.
//
// Faults: those of a file of tests that cannot be read.
func (lib *Library) CountTests(name string) (n int, file string, fault *diag.Fault) {
	file = lib.plans.Saved.TestsPath(name)
	text, fault := lib.plans.Saved.Tests(name, false)
	if fault != nil || text == "" {
		return 0, file, fault
	}
	cases, fault := execution.ReadTests(file, text)
	return len(cases), file, fault
}
