package downstream

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// DefaultWait is how long a call waits for a server that is starting, unless one call of
// the server may take less: clients give up after a minute. Short limits of calls are for
// servers that run: minWait is waited for in any case.
const (
	DefaultWait = 50 * time.Second
	minWait     = 5 * time.Second
)

// noticeEvery is how often a wait is reported as progress, and after which
// [Options.OnWait] is called.
const noticeEvery = 2 * time.Second

type waitKey struct{}

// WithOneWait returns a context with which all waits for servers together take no longer
// than one.
func (h *Hub) WithOneWait(ctx context.Context) context.Context {
	wait := cmp.Or(h.options.Wait, DefaultWait)
	return context.WithValue(ctx, waitKey{}, time.Now().Add(wait))
}

// wait is how long a call waits for the server.
func (s *supervisor) wait(ctx context.Context) time.Duration {
	wait := s.hub.options.Wait
	if wait == 0 {
		wait = min(DefaultWait, max(minWait, s.CallTimeout))
	}
	if until, ok := ctx.Value(waitKey{}).(time.Time); ok {
		wait = min(wait, time.Until(until))
	}
	return wait
}

// session returns the live session, and waits for one that is being made. Limits of time
// do not count the wait. A server that is down is started again, unless it failed a moment
// ago.
func (s *supervisor) session(ctx context.Context) (*session, *diag.Fault) {
	s.mu.Lock()
	if s.live != nil && s.live.alive() {
		defer s.mu.Unlock()
		return s.live, nil
	}
	if s.attempt == nil && s.fault != nil && s.failures > 0 {
		if wait := time.Until(s.notBefore); wait > 0 {
			defer s.mu.Unlock()
			f := *s.fault
			if s.Problem != nil { // another attempt would find it too
				return nil, &f
			}
			f.Hint = diag.JoinHints(f.Hint, fmt.Sprintf("it is tried again in %s", max(wait.Round(100*time.Millisecond), 100*time.Millisecond)))
			return nil, &f
		}
	}
	a := s.begin()
	s.mu.Unlock()

	defer timelimit.Pause(ctx)()
	began := time.Now()
	timer := time.NewTimer(s.wait(ctx))
	defer timer.Stop()
	notice := time.NewTicker(noticeEvery)
	defer notice.Stop()
	hear := transport.ProgressHearer(ctx)
	for first := true; ; {
		select {
		case <-a.done:
			return a.live, a.fault
		case <-notice.C:
			took := time.Since(began)
			if hear != nil { // less than what the call is going to report
				hear(transport.Progress{Done: took.Seconds() / 1000, Message: fmt.Sprintf("waiting for server %q to start (%s)", s.Name, took.Round(time.Second))})
			}
			if first && s.hub.options.OnWait != nil {
				s.hub.options.OnWait(s.Name)
			}
			first = false
		case <-timer.C:
			return nil, s.startingFault(time.Since(began))
		case <-ctx.Done():
			return nil, diag.Faultf(diag.CodeCancelled, "waiting for server %q was cancelled: %w", s.Name, ctx.Err())
		}
	}
}

// startingFault says that a server was not waited for any longer, and the last of what it
// wrote to stderr.
func (s *supervisor) startingFault(waited time.Duration) *diag.Fault {
	f := diag.Faultf(diag.CodeServerStarting, "server %q is still starting after %s", s.Name, max(waited, 0).Round(100*time.Millisecond))
	f.Hint = "try again: it starts meanwhile"
	s.mu.Lock()
	live := s.opening
	s.mu.Unlock()
	if live == nil {
		return f
	}
	if lines := live.child.stderrLines(s.redact); len(lines) > 0 {
		f.Hint = diag.JoinHints(f.Hint, "the last line of its stderr is: "+lines[len(lines)-1])
	}
	return f
}
