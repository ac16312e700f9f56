package execution

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// Starts are how a run of the actor's is started for a client.
func (ex *Execution) Starts(ctx context.Context, c request.Client) runs.StartOptions {
	who := request.ActorFrom(ctx)
	return runs.StartOptions{Options: run.Options{Operator: who.Operator, Session: ex.policy.Session(ctx)}, Principal: who.Principal, Client: c}
}
