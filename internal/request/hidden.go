package request

import (
	"context"
)

type operatorKey struct{}

// ForOperator returns a context whose operations see hidden tools, whatever the rights of
// their principal: those of the operator's documents and of saved graphs. Whether the
// principal may use such a graph is decided before.
func ForOperator(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatorKey{}, true)
}

// IsForOperator reports whether a context is that of [ForOperator].
func IsForOperator(ctx context.Context) bool { return ctx.Value(operatorKey{}) != nil }
