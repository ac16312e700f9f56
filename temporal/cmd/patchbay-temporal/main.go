// Command patchbay-temporal has the commands of patchbay, whose runs execute on Temporal
// where the configuration says so, and the command worker, which executes them.
package main

import (
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/hooks"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	_ "github.com/patchbay-mcp/patchbay/internal/startup" // for its effect
	"github.com/patchbay-mcp/patchbay/temporal/runner"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
)

func main() {
	hooks.ServeIfWorker()
	cli.Main(app.Setup{Runtime: prepare}, nil, nil)
}

// prepare is the runtime of this program.
func prepare(cfg *config.Config) (func(runs.Options) runs.Remote, error) {
	return runner.Prepare(runner.Options{Temporal: cfg.Runtime.Temporal, TaskTimeout: walk.TaskTimeout, Work: work})
}
