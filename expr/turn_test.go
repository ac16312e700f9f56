package expr

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
)

// TestWaitingEnds tells when an evaluation is answered that waits for others in vain: its
// time is over, and the second that it may wait beyond it.
func TestWaitingEnds(t *testing.T) {
	for what, take := range map[string]func(context.Context, *admission.Turn) error{
		"a turn": func(ctx context.Context, other *admission.Turn) error { return other.Enter(ctx) },
		"memory": func(ctx context.Context, other *admission.Turn) error {
			_, err := other.Reserve(ctx, 1<<20)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := admission.New(admission.Options{Turns: 1, Bytes: 1 << 20, Strict: true})
				other := q.Turn("other", admission.NewRequest())
				if err := take(t.Context(), &other); err != nil {
					t.Fatal(err)
				}
				w := &admission.Work{Context: t.Context(), Turn: q.Turn("own", admission.NewRequest())}
				s := NewScope(nil, Limits{Timeout: 2 * time.Second})
				s.begin(w)
				began := time.Now()
				err := s.pause(longAfter)
				if waited := time.Since(began) + longAfter; waited != 2*time.Second+freeWait {
					t.Errorf("it waits %v", waited)
				}
				if code := codeOf(err); code != "timeout" {
					t.Errorf("it ends with %s", code)
				}
				s.end()
				w.Turn.End()
				other.End()
				if u := q.State(); u.Turns != 0 || u.Reserved != 0 || u.Waiting != 0 || u.WaitingForMemory != 0 {
					t.Errorf("state %+v, want nothing in use", u)
				}
			})
		})
	}
}

// TestWaitingBeyondItsTime: what an evaluation has waited for more than a second counts as
// its time, also when it gets what it has waited for.
func TestWaitingBeyondItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admission.New(admission.Options{Turns: 1, Strict: true})
		w := &admission.Work{Context: t.Context(), Turn: q.Turn("own", admission.NewRequest())}
		defer w.Turn.End()
		s := NewScope(nil, Limits{Timeout: 2 * time.Second})
		s.begin(w)
		defer s.end()
		if err := s.pause(longAfter); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Second + freeWait)
		synctest.Wait()
		if err := s.pause(time.Second); codeOf(err) != "timeout" {
			t.Errorf("it continues: %v", err)
		}
	})
}
