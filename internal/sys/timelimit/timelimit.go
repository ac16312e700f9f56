// Package timelimit bounds the time of work and does not count the time in which the work
// waits for a person. It knows contexts and the clock, and imports nothing of ours.
package timelimit

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// With returns a context that ends with the cause when so much time is over. The time in
// which it is paused does not count: see [Pause]. The caller calls cancel when the work is
// done.
func With(ctx context.Context, d time.Duration, cause error) (limited context.Context, cancel context.CancelFunc) {
	inner, end := context.WithCancelCause(ctx)
	l := &limit{Context: inner, end: end, cause: cause, whole: d, left: d, since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(d, l.expire)
	return l, l.stop
}

// Pause stops the clock of all limits that a context has, until resume is called. Further
// calls of resume do nothing. Pauses of one limit may overlap.
func Pause(ctx context.Context) (resume func()) {
	var paused []*limit
	for l := of(ctx); l != nil; l = of(l.Context) {
		l.pause()
		paused = append(paused, l)
	}
	return sync.OnceFunc(func() {
		for _, l := range paused {
			l.resume()
		}
	})
}

// Renew gives the innermost limit of a context its whole time again.
func Renew(ctx context.Context) {
	l := of(ctx)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left, l.since = l.whole, time.Now(); l.pauses == 0 && !l.over {
		l.timer.Reset(l.whole)
	}
}

// A limit is a context with a time limit.
type limit struct {
	context.Context //nolint:containedctx // it is one

	end   context.CancelCauseFunc
	cause error

	mu     sync.Mutex
	timer  *time.Timer
	whole  time.Duration
	left   time.Duration // when the clock was started last
	since  time.Time     // when that was
	pauses int
	over   bool // the work is done
}

type limitKey struct{}

// of returns the innermost limit of a context, nil if it has none.
func of(ctx context.Context) *limit {
	l, _ := ctx.Value(limitKey{}).(*limit)
	return l
}

// Value implements [context.Context].
func (l *limit) Value(key any) any {
	if key == (limitKey{}) {
		return l
	}
	return l.Context.Value(key)
}

func (l *limit) expire() {
	l.mu.Lock()
	paused := l.pauses > 0
	l.mu.Unlock()
	if !paused {
		l.end(l.cause)
	}
}

func (l *limit) stop() {
	l.mu.Lock()
	l.over = true
	l.timer.Stop()
	l.mu.Unlock()
	l.end(nil)
}

func (l *limit) pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pauses++; l.pauses == 1 {
		l.timer.Stop()
		l.left -= time.Since(l.since)
	}
}

func (l *limit) resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pauses--; l.pauses == 0 && !l.over {
		l.since = time.Now()
		l.timer.Reset(max(l.left, 0))
	}
}

// Sleep returns after a time, or with the cause of the end of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RetryAfter is how long an HTTP answer asks to wait before the next request, by its headers
// Retry-After and Date (RFC 9110, 10.2.3); 0 if it does not say.
func RetryAfter(value, date string) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	now, noDate := http.ParseTime(date)
	if err != nil || noDate != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
