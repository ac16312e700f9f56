package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

const hour = int(time.Hour / time.Millisecond)

// What was asked before the end of the input is answered, also when a signal follows:
// that is one end.
func TestServeAnswersBeforeItEnds(t *testing.T) {
	r := newRecovery(t)
	s := r.serve(r.projectWithGrace(hour))
	conn := r.hold(s, "x")
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r.answer(conn)
	if reply, err := s.out.ReadString('\n'); err != nil || !strings.Contains(reply, `"id":7`) {
		t.Errorf("the reply is %s: %v", reply, err)
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	if how, rec := r.stands(0); how != "succeeded" && how != "interrupted shutting-down" || len(rec.Open()) > 0 {
		t.Errorf("the run is %s at %+v", how, rec.Open())
	}
}

// No command leaves a lock file, and the next removes those of killed processes.
func TestCommandsLeaveNoLocks(t *testing.T) {
	r := newRecovery(t)
	dir := r.project()
	s := r.serve(dir)
	r.hold(s, "x")
	r.kill(s)
	if left := r.locks(); len(left) != 1 {
		t.Fatalf("the killed process left %q", left)
	}
	graph := filepath.Join(dir, "wait.yaml")
	if err := os.WriteFile(graph, []byte("nodes:\n  - {id: entry, type: entry, next: wait}\n  - {id: wait, type: wait, ms: 1, next: exit}\n  - {id: exit, type: exit}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"runs list", "runs prune", "runs show none", "runs resume none", "run " + graph, "call mcp:d/ask", "doctor"} {
		_ = r.command(dir, strings.Fields(args)...).Run() // some fail
		if left := r.locks(); len(left) > 0 {
			t.Errorf("%s left %q", args, left)
		}
	}
}

// The second signal ends the program at once.
func TestServeEndsAtTheSecondSignal(t *testing.T) {
	r := newRecovery(t)
	s := r.serve(r.projectWithGrace(hour))
	r.hold(s, "x")
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		if err := s.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Wait()
	if code := s.ProcessState.ExitCode(); code != command.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if how, _ := r.stands(0); how != "interrupted crashed" {
		t.Errorf("the run is %s", how)
	}
}

// A reply that takes longer than runs are waited for is waited for where no run has to be
// parked after it.
func TestRepliesAreAwaited(t *testing.T) {
	for name, c := range map[string]struct {
		grace time.Duration
		runs  bool
		takes time.Duration
		waits time.Duration
	}{
		"a quick reply":            {2 * time.Second, true, 500 * time.Millisecond, 500 * time.Millisecond},
		"a late reply":             {2 * time.Second, false, 2 * time.Second, 2 * time.Second},
		"one that does not come":   {2 * time.Second, false, time.Hour, maxReplies + maxEnd},
		"a late reply beside runs": {2 * time.Second, true, 2 * time.Second, maxReplies},
		"no time for the end":      {0, false, 2 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := make(chan error)
				go func() {
					select {
					case <-time.After(c.takes):
						close(over)
					case <-t.Context().Done():
					}
				}()
				began := time.Now()
				if err := awaitReplies(t.Context(), over, c.grace, func() bool { return c.runs }); err != nil || time.Since(began) != c.waits {
					t.Errorf("waited for %s, error %v; want %s", time.Since(began), err, c.waits)
				}
			})
		})
	}
}
