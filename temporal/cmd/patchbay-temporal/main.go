// Command patchbay-temporal has the commands of patchbay, whose runs execute on Temporal
// where the configuration says so, and the command worker, which executes them.
package main

import (
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/hooks"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	_ "github.com/patchbay-mcp/patchbay/internal/startup" // for its effect
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
)

func main() {
	hooks.ServeIfWorker()
	cli.Main(app.Setup{Runtime: prepare}, nil, nil)
}

// taskTimeout is how long a worker may compute for a run without a wait, and after which
// another one takes over from one that was killed meanwhile. It is above the time that an
// expression may take.
const taskTimeout = 13 * time.Second

// prepare is the runtime of this program.
func prepare(cfg *config.Config) (func(runs.Options) runs.Remote, error) {
	o := runner.Options{Temporal: cfg.Runtime.Temporal, TaskTimeout: taskTimeout, Work: work}
	if dir := o.Temporal.Blobs; dir != "" {
		o.Storage = blobs.External(blobs.Files(dir))
	}
	return runner.Prepare(o)
}
