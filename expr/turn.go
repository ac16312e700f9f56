package expr

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A turn is what an evaluation holds once it turns out to be long: the turn of the
// work that evaluates, and the memory that it may take.
type turn struct {
	ctx      context.Context //nolint:containedctx // of the evaluation that lasts
	work     *admission.Turn
	held     bool
	reserved int64
	waits    context.Context //nolint:containedctx // ctx, that ends when it may no longer wait
	stop     context.CancelFunc
}

// longAfter is how long an evaluation lasts that needs no turn.
const longAfter = 5 * time.Millisecond

// freeWait is how long an evaluation may wait for others without that counting as its
// time. So each is answered in time, and few end because others took long.
const freeWait = time.Second

// pause is called now and then by an evaluation that has lasted so long. A long one
// continues in its turn, which it gives back after a while when others wait, and in
// the memory that it has reserved.
func (s *Scope) pause(lasted time.Duration) error {
	t := &s.turn
	if lasted < longAfter {
		return nil
	}
	if t.held {
		return s.waited(t.work.Yield(t.waits))
	}
	t.held, t.work, t.waits = true, admission.From(t.ctx), t.ctx
	if timeout := s.timeout(); timeout > 0 && t.work != nil {
		t.waits, t.stop = context.WithTimeout(t.ctx, timeout-lasted+freeWait)
	}
	limit := int64(s.limits.MaxMemory)
	if limit == 0 {
		limit = jsonata.DefaultMemory
	}
	if most := t.work.Most(); most > 0 {
		limit = min(limit, most)
	}
	var err error
	if t.reserved, err = t.work.Reserve(t.waits, limit); err == nil {
		err = t.work.Enter(t.waits)
	}
	return s.waited(err)
}

// timeout is how long an evaluation may last, not positive without a bound.
func (s *Scope) timeout() time.Duration {
	return cmp.Or(s.evaluator.Limits.Timeout, jsonata.DefaultTimeout)
}

// waited returns why an evaluation ends that has waited for others, or could have: err is
// what it has waited in vain for.
func (s *Scope) waited(err error) error {
	t := &s.turn
	switch {
	case err == nil && t.waits.Err() == nil:
		return nil
	case t.ctx.Err() == nil:
		return &jsonata.Error{
			Code: "timeout", Message: fmt.Sprintf("the expression took longer than %v, and waited for others for more than %v", s.timeout(), freeWait),
			Hint: "do less in one expression, or try again when less is going on",
		}
	}
	return jsonata.Ended(t.ctx)
}

// end gives back what an evaluation held.
func (t *turn) end() {
	if t.held {
		t.work.Return(t.reserved)
	}
	if t.stop != nil {
		t.stop()
	}
	*t = turn{}
}
