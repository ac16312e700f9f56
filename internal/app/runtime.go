package app

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

// A Runtime prepares what executes the runs of a configuration that names a runtime. It
// reaches nothing. An error is for the operator.
type Runtime func(*config.Config) (func(runs.Options) runs.Remote, error)

// RuntimeProgram is the program that has the runtime of a configuration, and
// InstallRuntime the command that installs it.
const (
	RuntimeProgram = "patchbay-temporal"
	InstallRuntime = "git clone https://github.com/patchbay-mcp/patchbay && cd patchbay/temporal && go install ./cmd/patchbay-temporal"
)

// NoRuntime is the fault of a configuration that names a runtime which this program does
// not have, nil for any other. Only a lenient App has such a configuration.
func (a *App) NoRuntime() *diag.Fault { return noRuntime(a.Config(), a.lifecycle.setup.Runtime) }

var codeNoRuntime = diag.DefineFault("no-runtime", diag.RefusesRequest, "the configuration executes runs [on Temporal](temporal.md), and this program does not", "use `patchbay-temporal`; the hint has the command that installs it")

func noRuntime(cfg *config.Config, r Runtime) *diag.Fault {
	if cfg.Runtime.Temporal.Address == "" || r != nil {
		return nil
	}
	return diag.Faultf(codeNoRuntime, "the configuration executes runs on Temporal, which %s does and this program does not", RuntimeProgram).
		At("/runtime/temporal").WithHint("install it: " + InstallRuntime)
}

// newRuntime returns what makes the runner of a configuration, nil where this process
// executes the runs.
func newRuntime(cfg *config.Config, s Setup) (func(runs.Options) runs.Remote, error) {
	if f := noRuntime(cfg, s.Runtime); f != nil && !s.Lenient {
		return nil, f
	}
	if cfg.Runtime.Temporal.Address == "" || s.Runtime == nil {
		return nil, nil
	}
	return s.Runtime(cfg)
}
