package runner

import (
	"context"
	"maps"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A listener tells of the events of a run that workers execute. The service says when the
// history of the run has grown; only then a worker is asked what is new.
type listener struct {
	r       *Runner
	run     string
	onEvent func(run.Event)  // nil: events are not needed
	notice  func(run.Notice) // nil: notices are not needed

	sent     run.NoticeLog
	seen     wire.Seen
	items    map[string]int // of the foreach of a step, by its key
	workflow string         // whose history was that long when the worker was asked
	length   int64
}

// listen returns the listener of a run for a client, nil if the client needs none.
func (r *Runner) listen(c *runs.Client, id string, watch bool) *listener {
	l := &listener{r: r, run: id, onEvent: c.OnEvent, items: map[string]int{}}
	if watch && r.o.Observer.Watch != nil {
		l.notice = r.o.Observer.Watch(id)
	}
	if l.onEvent == nil && l.notice == nil {
		return nil
	}
	return l
}

// resumes says from where a run continues: what has happened before is not told.
func (l *listener) resumes(rec *run.Record) {
	if l == nil {
		return
	}
	l.seen = l.seen.And(rec.Steps)
	l.sent.New(rec.Notices())
	if n := len(rec.Resumed); n > 0 && l.notice != nil {
		l.notice(run.Notice{Type: run.RunResumed, Run: rec.ID, Graph: rec.Graph, Principal: rec.Principal, At: rec.Resumed[n-1].At})
	}
}

// newsPatience is how long a worker may take to say what is new.
const newsPatience = 2 * time.Second

// look tells what is new of a run, and reports whether something is.
func (l *listener) look(ctx context.Context, now *look) bool {
	if l == nil || now.workflow == l.workflow && now.length == l.length {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, newsPatience)
	defer cancel()
	v, err := l.r.client.QueryWorkflow(ctx, l.run, "", wire.QueryNews, l.seen)
	var news wire.News
	if err == nil {
		err = v.Get(&news)
	}
	if err != nil { // there may be no worker; what is left out now is told later
		return false
	}
	l.workflow, l.length = now.workflow, now.length
	maps.Copy(l.items, news.Items)
	return l.tell(&news.Record.Record)
}

// stopped tells the rest of a run that has stopped.
func (l *listener) stopped(rec *run.Record) {
	if l == nil {
		return
	}
	l.tell(rec)
	if l.notice != nil && len(l.sent.New([]run.Notice{rec.Stopped()})) > 0 {
		l.notice(rec.Stopped())
	}
}

// tell tells what is new in a record, and reports whether something is.
func (l *listener) tell(rec *run.Record) (told bool) {
	l.seen = l.seen.And(rec.Steps)
	for _, m := range run.Moments(rec.Steps) {
		e := m.Event()
		if of, item := wire.ForeachOf(e.Key); item {
			e.Items = l.items[of]
		}
		n := e.Notice(rec.ID, rec.Graph, rec.Principal)
		if len(l.sent.New([]run.Notice{n})) == 0 {
			continue
		}
		told = true
		if l.notice != nil {
			l.notice(n)
		}
		if l.onEvent != nil {
			l.onEvent(e)
		}
	}
	return told
}

// calm is how often a run is read in which nothing happens and whose end is not awaited.
const calm = 10 * time.Second

// follow looks at a run that has been left by its client, until it stops: who listens
// is told of it, and that it has stopped.
func (r *Runner) follow(id string, l *listener) {
	last := calm
	if l != nil {
		last = lookLast
	}
	for every := lookLast; ; every = min(2*every, last) {
		timer := time.NewTimer(every)
		select {
		case <-timer.C:
		case <-r.life.Done():
			timer.Stop()
			return
		}
		now, fault := r.describe(r.life, operator, id)
		switch {
		case fault != nil && fault.Code == runs.CodeUnknownRun:
			return
		case fault != nil:
		case now.Status.Status == run.Running:
			if l.look(r.life, now) {
				every = lookSoon
			}
		default:
			if rec, fault := r.stopped(r.life, &runs.Client{}, now, l); fault == nil && rec.Status != run.Running {
				return
			}
		}
	}
}

// left returns what a client gets of its run. One that continues is followed without it.
func (r *Runner) left(rec *run.Record, fault *diag.Fault, id string, l *listener) (*run.Record, *diag.Fault) {
	if fault == nil && rec.Status == run.Running && r.life.Err() == nil {
		r.following.Go(func() { r.follow(id, l) })
	}
	return rec, fault
}
