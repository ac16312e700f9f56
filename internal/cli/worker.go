package cli

import (
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// workerCommand is the command of programs that have a runtime.
func workerCommand(f *flags) *cobra.Command {
	role := map[string]app.Role{"": {Walk: true, Call: true}, "runs": {Walk: true}, "calls": {Call: true}}
	var only string
	c := &cobra.Command{
		Use: "worker", Short: "Execute the runs of the runtime", Example: "  patchbay-temporal worker\n  patchbay-temporal worker --only calls",
		Long: "Execute the runs that patchbay-temporal serve and others start, until a signal. A worker keeps nothing: others take over the runs of one that ends. It needs the configuration, with the servers that the runs call.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, ok := role[only]
			if !ok {
				return &diag.Fault{Code: "usage", Path: "--only", Message: "unknown role " + only, Hint: "use runs or calls"}
			}
			f.longRunning = true
			p, err := f.open(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			if p.Config().Runtime.Temporal.Address == "" {
				return &diag.Fault{Code: "usage", Path: "/runtime", Message: "the configuration has no runtime, so each process executes the runs that it starts", Hint: "set runtime.temporal.address in patchbay.yaml"}
			}
			go f.follow(cmd.Context(), p, cmd.ErrOrStderr())
			return p.Work(cmd.Context(), r)
		},
	}
	c.Flags().StringVar(&only, "only", "", "execute only the `PART`: runs, which decides what each run does next, or calls, which calls servers")
	return c
}
