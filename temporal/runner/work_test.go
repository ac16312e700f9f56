package runner_test

import (
	"context"
	"fmt"
	"testing"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
)

// A worker that cannot start says why, and what to do.
func TestWorkerWithoutService(t *testing.T) {
	for _, test := range []struct {
		err           error
		path, message string
	}{
		{serviceerror.NewNamespaceNotFound("shop"), "/runtime/temporal/namespace", `Temporal at 127.0.0.1:1 has no namespace "shop"`},
		{serviceerror.NewUnavailable("refused"), "/runtime/temporal/address", "Temporal at 127.0.0.1:1 does not answer: failed reaching server: refused"},
	} {
		r := runner.New(&service{}, runner.Options{
			Temporal: config.Temporal{Address: "127.0.0.1:1", Namespace: "shop", TaskQueue: "queue"},
			Work: func(context.Context, client.Client, config.Temporal, runs.Options, runs.Role) error {
				return fmt.Errorf("failed reaching server: %w", test.err)
			},
		}, runs.Options{})
		f, ok := r.Work(t.Context(), runs.Role{}).(*diag.Fault) //nolint:errorlint // it is a fault, not an error that wraps one
		if !ok || f.Code != "runtime-unreachable" || f.Path != test.path || f.Message != test.message || f.Hint == "" {
			t.Errorf("%v: %+v", test.err, f)
		}
		r.Close(t.Context())
	}
}
