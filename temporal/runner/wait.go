package runner

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// How often a run is looked at while somebody waits for it: soon at first, then less often.
const (
	lookFirst = 20 * time.Millisecond
	lookLast  = time.Second
	lookSoon  = 100 * time.Millisecond // after something has happened that somebody is told of
)

var operator = run.Actor{Operator: true}

// Follow implements [runs.Runner]. The end of ctx leaves the run as it is.
func (r *Runner) Follow(ctx context.Context, actor run.Actor, id string, c runs.Client) (*run.Record, *diag.Fault) {
	if _, fault := r.describe(ctx, actor, id); fault != nil {
		return nil, fault
	}
	return r.await(ctx, &c, id, r.listen(&c, id, false), nil)
}

// wait returns the record of a run of the client's when it has stopped, or when the client
// stops waiting. Until then, the end of ctx ends the run.
func (r *Runner) wait(ctx context.Context, c *runs.Client, id string, l *listener) (*run.Record, *diag.Fault) {
	if c.Session != nil && c.OnDisconnect == runs.Cancel {
		why := &diag.Fault{Code: diag.CodeCancelled, Message: "the run was cancelled by the end of the client's session", Err: context.Canceled}
		defer context.AfterFunc(c.Session, func() { _ = r.cancel(context.Background(), id, why) })()
	}
	rec, fault := r.await(ctx, c, id, l, func() {
		if why := leaves(ctx); why != nil {
			_ = r.cancel(context.WithoutCancel(ctx), id, why)
		}
	})
	return r.left(rec, fault, id, l)
}

// await looks at a run until it has stopped or the client leaves. It calls left, if it is
// not nil, when ctx ends, and then waits for as long as a cancellation may take.
func (r *Runner) await(ctx context.Context, c *runs.Client, id string, l *listener, left func()) (*run.Record, *diag.Fault) {
	var late <-chan time.Time
	if c.Wait > 0 {
		timer := time.NewTimer(c.Wait)
		defer timer.Stop()
		late = timer.C
	}
	var gone <-chan struct{}
	if c.Session != nil && c.OnDisconnect != runs.Cancel {
		gone = c.Session.Done()
	}
	done := ctx.Done()
	for every := lookFirst; ; every = min(2*every, lookLast) {
		now, fault := r.describe(ctx, operator, id)
		switch {
		case fault != nil:
			return nil, fault
		case now.Status.Status != run.Running || c.Background:
			// A run that was just resumed is still said to be parked.
			rec, fault := r.stopped(ctx, c, now, l)
			if fault != nil || rec.Status != run.Running || c.Background {
				return rec, fault
			}
		case now.Questions > 0 && (c.Answers || c.OnQuestion != nil):
			rec, fault := r.record(ctx, now)
			if fault != nil || c.Answers {
				return rec, fault
			}
			c.OnQuestion(rec)
		}
		if l.look(ctx, now) {
			every = lookSoon
		}
		timer := time.NewTimer(every)
		select {
		case <-timer.C:
			continue
		case <-late:
		case <-gone:
		case <-done:
			if left != nil {
				left()
				left, done = nil, nil
				late = time.After(cancelWait)
				continue
			}
		}
		timer.Stop()
		return r.record(ctx, now)
	}
}

// stopped returns the record of a run at which a client has stopped to look.
func (r *Runner) stopped(ctx context.Context, c *runs.Client, now *look, l *listener) (*run.Record, *diag.Fault) {
	rec, fault := r.record(ctx, now)
	if fault != nil {
		if c.Background && now.Status.Status == run.Running { // it was started, and that is all the client waits for
			return &summary(&now.Status).Record, nil
		}
		return nil, fault
	}
	if rec.Status != run.Running {
		l.stopped(rec)
		r.changed(rec.ID)
		if r.o.Observer.Stopped != nil {
			r.o.Observer.Stopped(rec)
		}
	}
	return rec, nil
}

// summary is what a line about a run has of its record.
func summary(s *wire.Status) *wire.Record {
	rec := &wire.Record{}
	rec.ID, rec.Graph, rec.Project, rec.Principal, rec.Status, rec.Started, rec.Ended = s.ID, s.Graph, s.Project, s.Principal, s.Status, s.Started, s.Ended
	if s.Code != "" {
		rec.Fault = &diag.Fault{Code: s.Code, Message: s.Message}
	}
	return rec
}
