package expr

import (
	"context"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/admission"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A turn is what an evaluation holds once it turns out to be long: the turn of the
// work that evaluates, and the memory that it may take.
type turn struct {
	ctx      context.Context //nolint:containedctx // of the evaluation that lasts
	work     *admission.Turn
	held     bool
	reserved int64
}

// longAfter is how long an evaluation lasts that needs no turn.
const longAfter = 5 * time.Millisecond

// pause is called now and then by an evaluation that has lasted so long. A long one
// continues in its turn, which it gives back after a while when others wait, and in
// the memory that it has reserved.
func (s *Scope) pause(lasted time.Duration) error {
	t := &s.turn
	if lasted < longAfter {
		return nil
	}
	if !t.held {
		t.work = admission.From(t.ctx)
		limit := int64(s.limits.MaxMemory)
		if limit == 0 {
			limit = jsonata.DefaultMemory
		}
		if most := t.work.Most(); most > 0 {
			limit = min(limit, most)
		}
		var err error
		if t.reserved, err = t.work.Reserve(t.ctx, limit); err == nil {
			err = t.work.Enter(t.ctx)
		}
		if t.held = true; err != nil {
			return waitedInVain(t.ctx)
		}
		return nil
	}
	if err := t.work.Yield(t.ctx); err != nil {
		return waitedInVain(t.ctx)
	}
	return nil
}

// waitedInVain is the error of an evaluation whose context ended while it waited.
func waitedInVain(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &jsonata.Error{Code: "timeout", Message: "the time of the run ended while the expression was being evaluated"}
	}
	return &jsonata.Error{Code: "cancelled", Message: "the run was cancelled while the expression was being evaluated"}
}

// end gives back what an evaluation held.
func (t *turn) end() {
	if t.held {
		t.work.Return(t.reserved)
	}
	*t = turn{}
}
