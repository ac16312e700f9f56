package plans

import (
	"context"
)

type testKey struct{}

// WithTest returns the context of a test. Own says that a person answers for its arguments.
func WithTest(ctx context.Context, own bool) context.Context {
	return context.WithValue(ctx, testKey{}, own)
}

// InTest reports whether the runs of a context are those of a test, which permits no call,
// and whether a person answers for its arguments.
func InTest(ctx context.Context) (own, is bool) {
	own, is = ctx.Value(testKey{}).(bool)
	return own, is
}
