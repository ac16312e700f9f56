package timelimit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

var errLate = errors.New("late")

// The time of a pause does not count for any of the limits, also of a context that
// outlasts the one with the limit.
func TestPausesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		outer, cancel := timelimit.With(t.Context(), time.Minute, errLate)
		defer cancel()
		inner, cancel := timelimit.With(context.WithoutCancel(outer), 10*time.Second, errLate)
		defer cancel()
		time.Sleep(5 * time.Second)
		first, second := timelimit.Pause(inner), timelimit.Pause(inner)
		time.Sleep(time.Hour)
		first()
		first()
		time.Sleep(time.Hour)
		if inner.Err() != nil || outer.Err() != nil {
			t.Error("a paused limit ends")
		}
		second()
		<-inner.Done()
		if took := time.Since(began); took != 2*time.Hour+10*time.Second || context.Cause(inner) != errLate { //nolint:errorlint // itself
			t.Errorf("it ends after %s: %v", took, context.Cause(inner))
		}
		<-outer.Done()
		if took := time.Since(began); took != 2*time.Hour+time.Minute {
			t.Errorf("the outer limit ends after %s", took)
		}
	})
}

// Work that is done is not ended by its limit, whatever resumes later.
func TestDoneWorkHasNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := timelimit.With(t.Context(), time.Second, errLate)
		resume := timelimit.Pause(ctx)
		cancel()
		resume()
		time.Sleep(time.Minute)
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("it has ended with %v", err)
		}
		timelimit.Pause(t.Context())()
	})
}

// A limit that is renewed ends after its whole time again; the outer one is not renewed.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		outer, cancel := timelimit.With(t.Context(), 25*time.Second, errLate)
		defer cancel()
		inner, cancel := timelimit.With(outer, 10*time.Second, errLate)
		defer cancel()
		for range 2 {
			time.Sleep(9 * time.Second)
			timelimit.Renew(inner)
		}
		if inner.Err() != nil {
			t.Error("a renewed limit ends")
		}
		<-inner.Done()
		if took := time.Since(began); took != 25*time.Second {
			t.Errorf("it ends after %s", took)
		}
		timelimit.Renew(t.Context())
	})
}

func TestRetryAfter(t *testing.T) {
	const now = "Fri, 27 Nov 2026 02:00:00 GMT"
	for value, want := range map[string]time.Duration{
		"3": 3 * time.Second, " 120 ": 2 * time.Minute, "Fri, 27 Nov 2026 02:01:00 GMT": time.Minute, "Fri, 27 Nov 2026 01:00:00 GMT": 0, "soon": 0, "": 0, "-1": 0, "1e9": 0,
	} {
		if got := timelimit.RetryAfter(value, now); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	if got := timelimit.RetryAfter("Fri, 27 Nov 2026 02:01:00 GMT", ""); got != 0 {
		t.Errorf("a time is %s for a server that does not say its own", got)
	}
}
