package web

import (
	"context"
	"net/http"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

// events streams what happens until the client leaves, or is too slow.
func (u *UI) events(w http.ResponseWriter, r *http.Request) {
	who, id := callerFrom(r), r.URL.Query().Get("run")
	o := u.named["runs-list"].Operation
	if !who.may(o.Scope) {
		writeFault(w, http.StatusForbidden, "not-allowed", "the events need the scope "+o.Scope, u.howToMayMore(who))
		return
	}
	if !u.streams.enter(who.name) {
		writeFault(w, http.StatusTooManyRequests, "too-many-requests", "this principal has too many streams of events", "close other pages")
		return
	}
	defer u.streams.leave(who.name)
	f := &follower{u: u, run: id, ctx: u.as(r.Context(), who, o), page: readCredentials(r), queue: newQueue(id), out: writer{w, u.mask}, lines: map[string]run.Summary{}}
	defer u.listen(f.queue)()
	defer u.pb.Watchers.Watch(f.queue.add)() // before the run is read, so that nothing is missed
	var past []run.Notice
	if id != "" {
		log, fault := u.pb.RunLog(f.ctx, execution.RunLogInput{RunID: id})
		if fault != nil {
			writeJSON(w, httpStatus(fault), map[string]any{"error": fault})
			return
		}
		past = log.Events
	}
	if u.file != nil && who.session.operator {
		f.file = u.file
	}
	if f.out.begin() == nil && f.out.nodes(f.sent.New(past)) == nil {
		_ = f.follow() // the client has left, or is to ask again
	}
}

// A follower is one stream of events: of the list of runs, the list of nodes, the file, and
// of one run if the page names it.
type follower struct {
	u     *UI
	ctx   context.Context //nolint:containedctx // of the request, as its principal
	page  credentials
	queue *queue
	out   writer

	run     string                 // "" watches none
	sent    run.NoticeLog          // events of that run
	lines   map[string]run.Summary // what is known of the latest runs, by id
	version string                 // of the list of runs when it was looked at
	file    *file                  // nil without one
	hash    string                 // of the file
}

// follow sends what happens until the client leaves or signs out.
func (f *follower) follow() error {
	look, beat := time.NewTicker(lookEvery), time.NewTicker(beatEvery)
	defer look.Stop()
	defer beat.Stop()
	batch := time.NewTimer(batchEvery)
	defer batch.Stop()
	if err := f.look(true); err != nil {
		return err
	}
	if err := f.out.event("ready", struct{}{}); err != nil { // what changes from now on is told
		return err
	}
	wake := f.queue.wake
	for {
		var err error
		select {
		case <-f.ctx.Done():
			return f.ctx.Err()
		case <-wake:
			err, wake = f.send(f.queue.take()), nil // what comes soon after is sent together
			batch.Reset(batchEvery)
		case <-batch.C:
			wake = f.queue.wake
		case <-look.C:
			err = f.look(false)
		case <-beat.C:
			if f.u.sessions.find(f.page) == nil {
				return errSignedOut
			}
			err = f.out.beat()
		}
		if err != nil {
			return err
		}
	}
}

// send sends what was queued.
func (f *follower) send(c change) error {
	if c.full {
		return errTooSlow
	}
	if c.catalog {
		if err := f.out.event("catalog", struct{}{}); err != nil {
			return err
		}
	}
	if err := f.out.nodes(f.sent.New(c.events)); err != nil || !c.runs {
		return err
	}
	return f.refreshRuns(false, false)
}

// look sends what has changed elsewhere: other processes run graphs of the project, and
// editors write the file. The first look sends the file, which may have changed since the
// page has read it, and what the run that is watched has done since it was read.
func (f *follower) look(first bool) error {
	if f.file != nil {
		if now, err := f.file.read(); err == nil && now.Hash != f.hash {
			f.hash = now.Hash
			if err := f.out.event("file", map[string]string{"hash": now.Hash}); err != nil {
				return err
			}
		}
	}
	version, known := f.u.pb.RunsVersion() // before they are read
	if !first && known && version == f.version {
		return nil
	}
	f.version = version
	return f.refreshRuns(first, true)
}

// refreshRuns sends the runs of the list that have changed; the first look sends none. The
// events of the run that is watched are read where another process executes it: if it has
// changed in the list, or with steps while it executes, as the list may lag behind them.
func (f *follower) refreshRuns(first, steps bool) error {
	list, fault := f.u.pb.RunLines(f.ctx, listed)
	if fault != nil {
		f.version = "" // the store may be busy; it is asked again
		return nil
	}
	lines := make(map[string]run.Summary, len(list))
	for _, line := range list {
		line.Arguments, line.Links = nil, nil
		lines[line.ID] = line
		was, known := f.lines[line.ID]
		changed := !known || was.Status != line.Status || was.Steps != line.Steps
		if changed && !first {
			if err := f.out.event("run", line); err != nil {
				return err
			}
		}
		if line.ID != f.run || !changed && (!steps || line.Status != run.Running) || f.u.pb.Watchers.Has(line.ID) {
			continue
		}
		log, fault := f.u.pb.RunLog(f.ctx, execution.RunLogInput{RunID: line.ID})
		if fault != nil {
			f.version = ""
			continue
		}
		if err := f.out.nodes(f.sent.New(log.Events)); err != nil {
			return err
		}
	}
	f.lines = lines
	return nil
}
