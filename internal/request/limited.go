package request

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

type rightsKey struct{}

// WithRights says which tools and graphs the principal may use that operations are done
// for. What it may not use is not there for it. Rights without limits change nothing.
func WithRights(ctx context.Context, r *access.Rights) context.Context {
	if r == nil || !r.IsLimited() {
		return ctx
	}
	return context.WithValue(ctx, rightsKey{}, r)
}

// RightsFrom are the limited rights of a principal, nil if it may use everything.
func RightsFrom(ctx context.Context) *access.Rights {
	if ctx == nil || IsForOperator(ctx) {
		return nil
	}
	return GivenRights(ctx)
}

// GivenRights are those of the principal also in what is compiled for the operator.
func GivenRights(ctx context.Context) *access.Rights {
	r, _ := ctx.Value(rightsKey{}).(*access.Rights)
	return r
}

// SeesServer reports whether a principal may know that a server is configured.
func SeesServer(ctx context.Context, server string) bool {
	r := RightsFrom(ctx)
	return r == nil || r.Server(server)
}
