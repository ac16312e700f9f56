package runs

import (
	"context"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Client is who starts or resumes a run, as far as the run is concerned. The zero
// Client waits until the run stops.
type Client struct {
	// Wait is how long the client waits for the run to stop; 0 has no bound. A run that
	// takes longer continues without it. One that has not begun by then is given up:
	// too many others are in progress.
	Wait time.Duration
	// Turn is how long the client waits for the run to begin, if that is another time; 0 is
	// as long as for the run to stop.
	Turn time.Duration
	// Background says that the client waits only until the run has begun.
	Background bool
	// Answers says that the client has the questions answered with which calls wait: if there
	// is one it gets the record, as if it had waited long enough.
	Answers bool
	// OnQuestion is called, unless Answers is set, with a copy of the record while a call waits
	// for an answer, also more than once for a question. It may be nil.
	OnQuestion func(*run.Record)
	// Unattended says that nobody is asked during calls.
	Unattended bool
	// Within says that the client is another run, or a request, which waits for the run during
	// a call: the run needs no slot of its own. Its detached branches outlast
	// it, and are bounded.
	Within bool
	// Peer tells the client from others of its principal, such as the id of a session:
	// they share the processors fairly. "" is one that cannot be told.
	Peer string
	// Session ends with the session of the client, which may be long after the client
	// has stopped waiting. Nil does not end.
	Session      context.Context //nolint:containedctx // it is not that of a call
	OnDisconnect Disconnect      // what happens to the run then
	// OnEvent is called as steps start and end, by the branches of the run at the same
	// time, also after the client has stopped waiting. It may be nil.
	OnEvent func(run.Event)
	// Debugger may pause the run before nodes. It is told when the run has stopped. Nil pauses
	// nowhere.
	Debugger *run.Debugger

	resumed time.Time // when it was decided that the run continues
}

// A Disconnect says what happens to a run when the session of its client ends.
type Disconnect string

// The zero Disconnect is Finish.
const (
	Finish Disconnect = "finish" // it continues
	Park   Disconnect = "park"   // it is parked, and can be resumed
	Cancel Disconnect = "cancel" // it is cancelled
)

// Of tells the client of a principal from its others.
func (c *Client) Of(principal string) string {
	if c.Peer == "" {
		return principal
	}
	return principal + " " + c.Peer
}

// stays reports whether the client waits until the run stops, whatever happens: then
// the run needs no goroutine.
func (c *Client) stays() bool { return c.Wait <= 0 && !c.Background && !c.hears() && c.Session == nil }

// hears reports whether the client wants to know of questions with which calls wait.
func (c *Client) hears() bool { return c.Answers || c.OnQuestion != nil }

// disconnected ends a run with the session of its client, unless the run continues. It
// does so until stop is called.
func (c *Client) disconnected(a *activeRun) (stop func() bool) {
	var f *diag.Fault
	switch {
	case c.Session == nil:
	case c.OnDisconnect == Park:
		f = connectionEnded(nil)
	case c.OnDisconnect == Cancel:
		f = Cancelled("the end of the client's session")
	}
	if f == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(c.Session, func() { a.cancel(f) })
}

// gone receives when the session of a client ends without which its run continues.
func (c *Client) gone() <-chan struct{} {
	if c.Session == nil || c.OnDisconnect == Park || c.OnDisconnect == Cancel {
		return nil
	}
	return c.Session.Done()
}

// late returns what receives when the client has waited long enough for the run to begin,
// and to stop. They are nil if it waits without a bound.
func (c *Client) late() (unbegun, late <-chan time.Time, stop func()) {
	if c.Wait <= 0 {
		return nil, nil, func() {}
	}
	timer := time.NewTimer(c.Wait)
	if c.Turn <= 0 {
		return timer.C, timer.C, func() { timer.Stop() }
	}
	turn := time.NewTimer(c.Turn)
	return turn.C, timer.C, func() { timer.Stop(); turn.Stop() }
}

// wait returns a run's record when the run has stopped, or when it is late, the client
// gone, or asked a question it has answered: then a copy of what is stored, with the status
// running. While it waits, the end of ctx ends the run, unless the session of the client has
// ended, too.
func (l *Local) wait(ctx context.Context, c *Client, late <-chan time.Time, store RunStore, a *activeRun) (*run.Record, *diag.Fault) {
	left := ctx.Done()
	for {
		var changed <-chan struct{}
		if c.hears() {
			var asks bool
			if asks, changed = a.held.look(); asks && c.Answers {
				rec, fault := l.leave(store, a)
				if fault != nil || rec.Status != run.Running || len(rec.Questions()) > 0 {
					return rec, fault
				}
			} else if asks {
				c.tell(store, a.id)
			}
		}
		select {
		case <-changed:
		case <-a.done:
			return a.record, a.fault
		case <-late:
			return l.leave(store, a)
		case <-c.gone():
			return l.leave(store, a)
		case <-left:
			if gone := c.gone(); gone != nil && c.Session.Err() != nil {
				return l.leave(store, a)
			}
			a.cancel(callerLeft(ctx))
			left = nil
		}
	}
}

// tell calls OnQuestion with what is kept of a run, if a call of it waits for an answer.
func (c *Client) tell(store RunStore, id string) {
	if rec, err := store.Load(run.Actor{Operator: true}, id); err == nil && rec.Status == run.Running && len(rec.Questions()) > 0 {
		c.OnQuestion(rec)
	}
}

// leave lets a run continue without its client. The run is on disk when it returns:
// a client that knows its id can find it whatever happens to this process.
func (l *Local) leave(store RunStore, a *activeRun) (*run.Record, *diag.Fault) {
	a.alone.Store(true)
	select {
	case <-a.begun:
	case <-a.done:
		return a.record, a.fault
	}
	rec, err := store.Load(run.Actor{Operator: true}, a.id)
	switch {
	case err != nil:
		f := storeFault(a.id, err)
		if errors.Is(err, run.ErrNoRun) {
			f = diag.Faultf(diag.CodeJournalFailed, "the run cannot be saved, so it does not continue without its caller")
		}
		a.cancel(f)
		return nil, f
	case rec.Status == run.Running:
		return rec, nil
	}
	<-a.done
	return a.record, a.fault
}

// A runJournal is the journal of one run. It keeps safe the beginning and the end of
// a run whose client does not wait.
type runJournal struct {
	run.Journal
	run *activeRun
}

// Begin implements [run.Journal].
func (j *runJournal) Begin(r *run.Record, safe bool) error {
	if err := j.Journal.Begin(r, safe || j.run.alone.Load()); err != nil {
		return err
	}
	if j.run.begun != nil {
		close(j.run.begun)
	}
	return nil
}

// End implements [run.Journal].
func (j *runJournal) End(r *run.Record, safe bool) error {
	return j.Journal.End(r, safe || j.run.alone.Load())
}
