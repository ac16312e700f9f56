package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// slowly answers after a minute, unless the call is cancelled.
func slowly(ctx context.Context, c run.Call) (*run.Result, error) {
	select {
	case <-time.After(time.Minute):
		return work(ctx, c)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// callAgain makes a call that may be repeated: nothing of it must be on disk.
const callAgain = `
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: mcp, server: s, tool: work, args: {}, retry: {maxAttempts: 2, unsafe: true}, next: exit}
  - {id: exit, type: exit}
`

// startAs starts a run of one call for a client.
func startAs(ctx context.Context, t testing.TB, l *runs.Local, c runs.Client) *run.Record {
	t.Helper()
	rec, fault := l.Start(ctx, planOf(t, callAgain), json.RawMessage(`{}`), runs.StartOptions{Principal: "ann", Client: c})
	if fault != nil {
		t.Fatal(fault)
	}
	return rec
}

// A run that takes longer than its client waits continues without it. What ends the
// client's call from then on does not end the run.
func TestARunOutlastsItsClient(t *testing.T) {
	for _, c := range []runs.Client{{Wait: 10 * time.Second}, {Background: true}, {Background: true, Wait: 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newRunner(t, slowly)
			ctx, leave := context.WithCancel(t.Context())
			begun := time.Now()
			rec := startAs(ctx, t, l, c)
			waited := time.Since(begun)
			if rec.Status != run.Running || waited != 0 && c.Background || waited != c.Wait && !c.Background {
				t.Errorf("%+v: %q after %s", c, rec.Status, waited)
			}
			leave()
			synctest.Wait()
			if got := stands(t, l, rec.ID); got != "running" {
				t.Errorf("%+v: then it is %s", c, got)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := stands(t, l, rec.ID); got != "succeeded" {
				t.Errorf("%+v: at the end it is %s", c, got)
			}
			l.Close(stopped)
		})
	}
}

// The limits of a run hold when its client does not wait.
func TestTheLimitsOfARunWithoutAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newRunner(t, slowly)
		o := runs.StartOptions{Client: runs.Client{Background: true}}
		o.Limits.MaxExecutionTime = 30 * time.Second
		rec, fault := l.Start(t.Context(), planOf(t, callAgain), nil, o)
		if fault != nil {
			t.Fatal(fault)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if got := stands(t, l, rec.ID); got != "failed time-limit" {
			t.Errorf("the run is %s", got)
		}
		l.Close(stopped)
	})
}

// A client that cancels its call while it waits cancels the run; a connection that
// ends parks it.
func TestTheClientEndsItsRunWhileItWaits(t *testing.T) {
	for want, cause := range map[string]error{"cancelled cancelled": context.Canceled, "interrupted shutting-down": errors.New("the connection ended")} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newRunner(t, slowly)
			ctx, end := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { end(cause) })
			rec := startAs(ctx, t, l, runs.Client{Wait: 10 * time.Second})
			if got := stands(t, l, rec.ID); got != want || rec.Status == run.Running {
				t.Errorf("%v: the reply says %s, it is %s, want %s", cause, rec.Status, got, want)
			}
			l.Close(stopped)
		})
	}
}

// A call that ends with the session of its client leaves the run to what is set for that.
func TestTheCallEndsWithTheSession(t *testing.T) {
	for i := range 20 {
		policy, want := runs.Finish, "succeeded"
		if i%2 == 1 {
			policy, want = runs.Cancel, "cancelled cancelled"
		}
		synctest.Test(t, func(t *testing.T) {
			l, _ := newRunner(t, slowly)
			ctx, end := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, end)
			rec := startAs(ctx, t, l, runs.Client{Wait: 10 * time.Second, Session: ctx, OnDisconnect: policy})
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := stands(t, l, rec.ID); got != want {
				t.Errorf("%s: it is %s, want %s", policy, got, want)
			}
			l.Close(stopped)
		})
	}
}

// While others take all places, a client waits for its turn as long as for the run.
func TestNoTurnWhileTheClientWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := runs.NewLocal(runs.Options{
			Store: func() (runs.RunStore, error) { return journal.NewMemory(nil), nil },
			Calls: func(context.Context, string) run.Caller { return callerFunc(slowly) }, Compile: compile, MaxRuns: 1,
		})
		startAs(t.Context(), t, l, runs.Client{Background: true})
		for _, background := range []bool{false, true} {
			begun := time.Now()
			rec, fault := l.Start(t.Context(), planOf(t, callOnce), nil, runs.StartOptions{Client: runs.Client{Wait: 5 * time.Second, Background: background}})
			if fault == nil || fault.Code != "too-many-runs" || time.Since(begun) != 5*time.Second {
				t.Errorf("after %s: %+v %v", time.Since(begun), rec, fault)
			}
		}
		rec := startAs(t.Context(), t, l, runs.Client{Wait: 55 * time.Second}) // five of them until its turn
		if list, _ := l.List(run.Filter{Actor: operator}); rec.Status != run.Running || len(list) != 2 {
			t.Errorf("%q, %d runs are kept", rec.Status, len(list))
		}
		begun := time.Now()
		rec = startAs(t.Context(), t, l, runs.Client{Wait: time.Second, Turn: time.Hour})
		if rec.Status != run.Running || time.Since(begun) < 10*time.Second {
			t.Errorf("one that waits longer for its turn is %q after %s", rec.Status, time.Since(begun))
		}
		l.Close(stopped)
	})
}

// A reply that names a run as running leaves when the run is on disk, and so is the end
// of a run without a client when its place is free.
func TestARunWithoutAClientIsOnDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.db")
	release, told := make(chan struct{}), make(chan bool, 10)
	store, err := journal.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := journal.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	l := newRunnerOver(t, &safetyStore{RunStore: store, ends: told}, func(ctx context.Context, c run.Call) (*run.Result, error) {
		<-release
		return work(ctx, c)
	})
	for _, c := range []runs.Client{{Background: true}, {Wait: time.Nanosecond}} {
		id := startAs(t.Context(), t, l, c).ID
		if status, err := other.Status(operator, id); status != run.Running {
			t.Errorf("%+v: another process finds the run %q, %v", c, status, err)
		}
	}
	close(release)
	for range 2 {
		if safe := <-told; !safe {
			t.Error("the end of a run need not be on disk")
		}
	}
}

// safetyStore tells whether the ends of runs are kept safe.
type safetyStore struct {
	runs.RunStore
	ends chan bool
}

func (s *safetyStore) End(r *run.Record, safe bool) error {
	s.ends <- safe
	return s.RunStore.End(r, safe)
}

// failingStore loses what it is told.
type failingStore struct{ *journal.Memory }

func (failingStore) Load(run.Actor, string) (*run.Record, error) { return nil, run.ErrNoRun }

// A run that cannot be kept does not continue without its client.
func TestARunThatIsNotKeptEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := failingStore{journal.NewMemory(nil)}
		l := newRunnerOver(t, store, slowly)
		_, fault := l.Start(t.Context(), planOf(t, callOnce), nil, runs.StartOptions{Client: runs.Client{Background: true}})
		synctest.Wait()
		if running, _ := l.InFlight(); fault == nil || fault.Code != "journal-failed" || running != 0 {
			t.Errorf("%v, %d runs are in progress", fault, running)
		}
		l.Close(stopped)
	})
}

// When the session of a client ends, its runs finish, are parked or are cancelled,
// whether the client still waits or not. It does not wait for a run that continues.
func TestTheSessionOfAClientEnds(t *testing.T) {
	for policy, want := range map[runs.Disconnect]string{"": "running", runs.Finish: "running", runs.Park: "interrupted shutting-down", runs.Cancel: "cancelled cancelled"} {
		for _, background := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				l, _ := newRunner(t, slowly)
				session, end := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, end)
				begun := time.Now()
				rec := startAs(t.Context(), t, l, runs.Client{Session: session, OnDisconnect: policy, Background: background})
				if waited := time.Since(begun); !background && waited != time.Second {
					t.Errorf("%q: the client waits for %s", policy, waited)
				}
				<-session.Done()
				synctest.Wait()
				if got := stands(t, l, rec.ID); got != want {
					t.Errorf("%q, background %t: the run is %s, want %s", policy, background, got, want)
				}
				l.Close(stopped)
			})
		}
	}
}
