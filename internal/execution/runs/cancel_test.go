package runs_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

const callOnce = `
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: mcp, server: s, tool: work, args: {}, next: exit}
  - {id: exit, type: exit}
`

// A run that does not stop within two seconds is running, also where runs are kept
// in memory, and ends as cancelled when it stops.
func TestCancelARunThatStopsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newRunner(t, func(context.Context, run.Call) (*run.Result, error) {
			time.Sleep(time.Minute) // whatever the context says
			return &run.Result{Structured: json.RawMessage(`{}`)}, nil
		})
		done := startInBackground(t, l, "ann", callOnce)
		synctest.Wait()
		id := l.RunningIDs()[0]
		if _, fault := l.Cancel(t.Context(), run.Actor{Principal: "bob"}, id, runs.Cancelled("bob")); fault == nil || fault.Code != "unknown-run" {
			t.Errorf("another's run: %v", fault)
		}
		begun := time.Now()
		status, fault := l.Cancel(t.Context(), run.Actor{Principal: "ann"}, id, runs.Cancelled("ann"))
		if fault != nil || status != run.Running || time.Since(begun) != 2*time.Second {
			t.Errorf("after %s: %q %v", time.Since(begun), status, fault)
		}
		<-done
		if got := stands(t, l, id); got != "cancelled cancelled" {
			t.Errorf("then it is %s", got)
		}
		l.Close(stopped)
	})
}

// elsewhere is a store with a run of another process, which never ends.
type elsewhere struct {
	*journal.Memory
	asked, looked int
}

func (e *elsewhere) Load(run.Actor, string) (*run.Record, error) {
	return nil, diag.Faultf("internal-error", "the whole run is loaded")
}

func (e *elsewhere) Status(run.Actor, string) (run.Status, error) {
	e.looked++
	return run.Running, nil
}

func (e *elsewhere) Cancel(run.Actor, string) error {
	e.asked++
	return nil
}

// Whoever cancels a run of another process waits two seconds for its status, and
// less if he does not wait himself.
func TestCancelARunElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			timeout time.Duration
			looks   int
		}{{time.Minute, 41}, {175 * time.Millisecond, 4}, {0, 1}} {
			store := &elsewhere{Memory: journal.NewMemory(nil)}
			l := newRunnerOver(t, store, nil)
			ctx, done := context.WithTimeout(t.Context(), test.timeout)
			status, fault := l.Cancel(ctx, operator, "run", runs.Cancelled("a test"))
			done()
			if fault != nil || status != run.Running || store.asked != 1 || store.looked > test.looks {
				t.Errorf("%s: %q %v, asked %d times, looked %d times", test.timeout, status, fault, store.asked, store.looked)
			}
			l.Close(stopped)
		}
	})
}
