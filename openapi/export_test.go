package openapi

import (
	"context"
	"time"
)

// WaitBy makes a tool wait between its attempts by a function of the test's.
func (t *Tool) WaitBy(wait func(time.Duration)) {
	c := *t.client
	c.wait = func(ctx context.Context, d time.Duration) error {
		wait(d)
		return ctx.Err()
	}
	t.client = &c
}
