package request

import (
	"context"
)

type clientIDKey struct{}

// WithClientID says which client operations are done for: its authenticated principal, or
// the name that it gives itself. Hidden tools are hidden from clients only.
func WithClientID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, clientIDKey{}, id)
}

// ClientID is the client that an operation is done for; ok is false if it is done for
// the operator.
func ClientID(ctx context.Context) (id string, ok bool) {
	id, ok = ctx.Value(clientIDKey{}).(string)
	return id, ok
}
