package downstream

import (
	"cmp"
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// A question of a server during a call. MCP does not name the call.
type question struct {
	arrived int
	among   []*inProgress // the calls that were in progress: one of them asks
	again   bool          // each of these waits for another answer
}

// arrive notes a question that the server asks now. A call that waits for an answer is not
// taken for the one that asks, if there is another.
func (p *passing) arrive() *question {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := &question{arrived: p.last, again: true}
	p.last++
	var waiting []*inProgress
	for _, c := range p.calls {
		if c.waits > 0 {
			waiting = append(waiting, c)
		} else {
			q.again = false
			q.among = append(q.among, c)
		}
	}
	if q.again {
		q.among = waiting
	}
	slices.SortFunc(q.among, func(a, b *inProgress) int { return cmp.Compare(a.id, b.id) })
	return q
}

// claim returns the call that a question belongs to, and makes it one that waits for the
// answer. The call that asks does not end before it has the answer: so where calls of several
// runs qualify, claim waits until those of one run are left. If each of them asks something,
// that does not happen: then runs of one client are asked, and those of several are not,
// since one could see the question of another. Nil means that the call is not known, or has
// ended: before that the answer could become part of its result.
func (p *passing) claim(ctx context.Context, q *question) *inProgress {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, q)
	slices.SortFunc(p.open, func(a, b *question) int { return cmp.Compare(a.arrived, b.arrived) })
	p.tell()
	defer func() {
		p.open = slices.DeleteFunc(p.open, func(o *question) bool { return o == q })
		p.tell()
	}()
	for {
		left, ending, runs, clients := q.candidates()
		stuck := len(p.open) >= len(left)
		switch {
		case len(left) == 0 && !ending, runs > 1 && stuck && clients > 1:
			return nil
		case len(left) == 0, runs > 1 && (!stuck || p.open[0] != q):
			if !p.wait(ctx) {
				return nil
			}
			continue
		}
		left[0].waits++
		left[0].asked++
		return left[0]
	}
}

// candidates returns the calls that can be the one that asks, whether one is being given up,
// and of how many runs and clients they are. The caller holds the lock of the calls.
func (q *question) candidates() (left []*inProgress, ending bool, runs, clients int) {
	ofRun, ofClient := map[any]bool{}, map[string]bool{}
	for _, c := range q.among {
		switch {
		case c.ended, c.waits > 0 && !q.again:
			continue
		case c.ctx.Err() != nil:
			ending = true
			continue
		}
		left = append(left, c)
		ofRun[c.run()] = true
		client, _ := admission.From(c.ctx).Holder()
		ofClient[client] = true
	}
	return left, ending, len(ofRun), len(ofClient)
}

// run tells the calls of a run, or of a client, from others.
func (c *inProgress) run() any {
	switch {
	case c.client != nil:
		return c.client.Session()
	case c.asker != nil:
		return c.asker
	}
	return c
}

// attend stops the time of the calls that can be the one that asks, of the run of c, until
// release is called. When all of these have ended it calls over.
func (p *passing) attend(q *question, c *inProgress, over func()) (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := lists.Only(q.among, func(other *inProgress) bool { return !other.ended && other.run() == c.run() })
	var undo []func()
	for _, other := range own {
		resume := timelimit.Pause(other.ctx)
		stop := context.AfterFunc(other.ctx, func() {
			if !slices.ContainsFunc(own, func(c *inProgress) bool { return c.ctx.Err() == nil }) {
				over()
			}
		})
		undo = append(undo, resume, func() { stop() })
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// answered notes that a call does not wait any more.
func (p *passing) answered(c *inProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.waits--
	p.tell()
}

// wait returns when the calls have changed; false means that ctx has ended before. The
// caller holds mu.
func (p *passing) wait(ctx context.Context) bool {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-changed:
		return true
	case <-ctx.Done():
		return false
	}
}

// tell wakes who waits. The caller holds mu.
func (p *passing) tell() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}
