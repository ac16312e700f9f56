package runs

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// DefaultMaxHeld is how long a call waits for the answer to a question that its server asks
// meanwhile, unless the options say otherwise.
const DefaultMaxHeld = 10 * time.Minute

// held are the questions with which calls of a run wait.
type held struct {
	runner *Local
	run    *activeRun

	mu      sync.Mutex
	waiting map[string]*heldQuestion // by the key of the intent
	changed chan struct{}            // closed when a question is put or has an answer; nil without a reader
}

type heldQuestion struct {
	filed  bool                 // others can see it
	answer chan json.RawMessage // takes one
}

// expect makes a question one that can be answered.
func (h *held) expect(key string) *heldQuestion {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == nil {
		h.waiting = map[string]*heldQuestion{}
	}
	q := &heldQuestion{answer: make(chan json.RawMessage, 1)}
	h.waiting[key] = q
	return q
}

// put says that a question can be seen.
func (h *held) put(q *heldQuestion) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q.filed = true
	h.tell()
}

// end removes a question, and passes on the answer if there is one. Who does it first does it.
func (h *held) end(key string, answer json.RawMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.waiting[key]
	if q == nil {
		return
	}
	delete(h.waiting, key)
	if answer != nil {
		q.answer <- answer
	}
	h.tell()
}

// tell wakes who looks. The caller holds mu.
func (h *held) tell() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// look returns whether there is a question, and what is closed when that may be otherwise.
func (h *held) look() (asks bool, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.waiting {
		asks = asks || q.filed
	}
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	return asks, h.changed
}

// Hold implements [local.Holder]. If nobody answers in time, the answer is timeout, unless
// another process has just kept an answer.
func (h *held) Hold(ctx context.Context, in run.Intent, file func() error) (*run.Answer, error) {
	q := h.expect(in.Key)
	defer h.end(in.Key, nil)
	if err := file(); err != nil {
		return nil, err
	}
	h.put(q)
	h.runner.asked(h.run.id)
	timer := time.NewTimer(time.Until(in.Until))
	defer timer.Stop()
	late := timer.C
	for {
		select {
		case b := <-q.answer:
			answer := &run.Answer{}
			if err := json.Unmarshal(b, answer); err != nil {
				return nil, diag.Faultf(diag.CodeJournalFailed, "the stored answer cannot be read: %w", err)
			}
			return answer, nil
		case <-late:
			late = nil
			if f := h.runner.Reply(run.Actor{Operator: true}, h.run.id, in.Key, json.RawMessage(`{"action":"timeout"}`)); f != nil && f.Code != run.CodeNotAsked {
				return &run.Answer{Action: "timeout"}, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// asked reports that a run has a question, or another one.
func (l *Local) asked(id string) {
	if l.o.Observer.Changed != nil {
		l.o.Observer.Changed(id)
	}
	if l.o.Observer.Question == nil {
		return
	}
	if rec, fault := l.Load(run.Actor{Operator: true}, id); fault == nil {
		l.o.Observer.Question(rec)
	}
}

// Reply implements [Runner].
func (l *Local) Reply(actor run.Actor, id, key string, answer json.RawMessage) *diag.Fault {
	store, fault := l.store()
	if fault != nil {
		return fault
	}
	if err := store.Reply(actor, id, key, answer); err != nil {
		return storeFault(id, err)
	}
	return nil
}

// Follow implements [Runner].
func (l *Local) Follow(ctx context.Context, actor run.Actor, id string, c Client) (*run.Record, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	_, late, stop := c.late()
	defer stop()
	if a := l.find(id); a != nil && actor.Sees(a.principal) && !c.Background {
		return l.wait(ctx, &c, late, store, a)
	}
	for every := statusEvery; ; every = min(2*every, time.Second) {
		rec, fault := l.Load(actor, id)
		if fault != nil || c.Background || rec.Status != run.Running || c.Answers && len(rec.Questions()) > 0 {
			return rec, fault
		}
		if c.OnQuestion != nil && len(rec.Questions()) > 0 {
			c.OnQuestion(rec)
		}
		select {
		case <-time.After(every):
		case <-late:
			return rec, nil
		case <-ctx.Done():
			return rec, nil
		}
	}
}
