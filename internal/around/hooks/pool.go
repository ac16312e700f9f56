package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/child"
)

// Options of a [Pool]. Zero fields mean the defaults.
type Options struct {
	Workers int                 // scripts at the same time; 0 is twice the processors, 4 at least
	Log     *slog.Logger        // what scripts write by console; nil discards it
	Redact  func(string) string // masks secrets in texts of scripts; nil masks none
}

// restLimit is how long a worker waits for a script, unless it is the only one.
const restLimit = time.Minute

// A Pool executes scripts in a bounded number of processes, which it starts when they
// are needed and keeps for the next scripts. It is safe for concurrent use.
type Pool struct {
	o       Options
	starter child.Starter
	slots   chan struct{} // one for each script that executes
	work    sync.WaitGroup
	ctx     context.Context //nolint:containedctx // of the pool: it ends with Close
	close   context.CancelCauseFunc

	mu      sync.Mutex
	idle    []*process // the one that was used last is the last
	count   int        // of processes, those that start too
	resting *time.Timer
	closed  bool
}

// errClosed is why nothing is executed any more.
var errClosed = errors.New("the processes for scripts are closed")

// NewPool returns a pool that has started no process yet. o may be nil.
func NewPool(o *Options) *Pool {
	p := &Pool{}
	if o != nil {
		p.o = *o
	}
	if p.o.Workers <= 0 {
		p.o.Workers = max(4, 2*runtime.NumCPU())
	}
	if p.o.Log == nil {
		p.o.Log = slog.New(slog.DiscardHandler)
	}
	if p.o.Redact == nil {
		p.o.Redact = func(s string) string { return s }
	}
	p.slots = make(chan struct{}, p.o.Workers)
	p.ctx, p.close = context.WithCancelCause(context.Background())
	p.resting = time.AfterFunc(time.Hour, p.trim)
	p.resting.Stop()
	return p
}

// Run executes a script and returns what it came to. The error is a [*Failure] if it is
// the script's, the cause of the end of ctx, or that of a process that cannot be started.
// The time limit begins when a process is free for the script.
func (p *Pool) Run(ctx context.Context, j *Job) (*Answer, error) {
	limit := j.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	context := j.Context
	if context == nil {
		context = json.RawMessage("{}")
	}
	done, err := p.do(ctx, &request{Name: j.Name, Context: context, Secrets: j.Secrets, LimitMs: max(1, limit.Milliseconds())}, j.Script, limit)
	if err != nil {
		return nil, err
	}
	return done.Answer, nil
}

// Check returns what is wrong with the syntax of a script, nil if nothing is. The error
// is as that of Run.
func (p *Pool) Check(ctx context.Context, script string) (*Failure, error) {
	_, err := p.do(ctx, &request{Check: true}, script, DefaultTimeout)
	if f, ok := errors.AsType[*Failure](err); ok {
		return f, nil
	}
	return nil, err
}

// do executes a request on the next process that is free.
func (p *Pool) do(ctx context.Context, r *request, script string, limit time.Duration) (*outcome, error) {
	if len(script) > MaxScript {
		return nil, failure(Limit, "the script has %d bytes, at most %d are allowed", len(script), MaxScript)
	}
	if len(r.Context) > maxLine/8 {
		return nil, failure(Limit, "the context has %d bytes, at most %d are allowed", len(r.Context), maxLine/8)
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.ctx.Done():
		return nil, errClosed
	}
	defer func() { <-p.slots }()
	w, err := p.take()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(errClosed) })()
	w.number(r, script)
	done, again, err := w.do(ctx, r, limit, func(l logLine) { p.write(r.Name, l) })
	p.release(w, err == nil && again)
	if err == nil && done.Failure != nil {
		err = done.Failure
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		masked := *f
		masked.Message = p.o.Redact(f.Message)
		return nil, &masked
	}
	return done, err
}

// write puts what a script has written by console into the log.
func (p *Pool) write(name string, l logLine) {
	level := slog.LevelInfo
	_ = level.UnmarshalText([]byte(l.Level)) // of our own
	p.o.Log.Log(context.Background(), level, p.o.Redact(l.Text), "hook", name)
}

// take returns a process without work. The caller holds a slot.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	for len(p.idle) > 0 {
		w := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if w.alive() {
			p.mu.Unlock()
			return w, nil
		}
		p.count--
	}
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	p.count++
	p.work.Add(1)
	p.mu.Unlock()
	defer p.work.Done()
	w, err := start(&p.starter)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count--
		return nil, fmt.Errorf("the script cannot be executed: %w", err)
	}
	return w, nil
}

// release puts a process back, or ends it and starts another in its place.
func (p *Pool) release(w *process, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if again && !p.closed {
		w.rests = time.Now()
		p.idle = append(p.idle, w)
		if len(p.idle) > 1 {
			p.resting.Reset(restLimit)
		}
		return
	}
	p.count--
	p.work.Go(w.end)
	if !p.closed && len(p.idle) == 0 && p.count < p.o.Workers {
		p.count++
		p.work.Go(p.spare)
	}
}

// spare starts a process for the next script.
func (p *Pool) spare() {
	w, err := start(&p.starter)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.count--
		p.o.Log.Warn("a process for scripts cannot be started", "error", err)
	case p.closed:
		p.count--
		p.work.Go(w.end)
	default:
		w.rests = time.Now()
		p.idle = append(p.idle, w)
	}
}

// trim ends the processes that have had nothing to do for long, but for one.
func (p *Pool) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 1 && !p.closed && time.Since(p.idle[0].rests) >= restLimit {
		p.work.Go(p.idle[0].end)
		p.idle = p.idle[1:]
		p.count--
	}
	if len(p.idle) > 1 && !p.closed {
		p.resting.Reset(restLimit)
	}
}

// Close ends the processes; scripts that execute fail. It returns when all are gone.
func (p *Pool) Close() {
	p.close(errClosed)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	p.resting.Stop()
	for _, w := range p.idle {
		p.work.Go(w.end)
	}
	p.idle = nil
	p.mu.Unlock()
	for range p.o.Workers { // those that execute
		p.slots <- struct{}{}
	}
	p.work.Wait()
	p.starter.Stop()
}
