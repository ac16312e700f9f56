package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestMain lets the test binary be another process with the same journal.
func TestMain(m *testing.M) {
	do, path := os.Getenv("JOURNAL_CHILD"), os.Getenv("JOURNAL_PATH")
	if do == "" {
		goleak.VerifyTestMain(m)
	}
	j, err := journal.Open(path, nil)
	if err == nil {
		err = map[string]func(*journal.Journal) error{"steps": writeSteps, "adopt": adopt, "run": runUntilCancelled}[do](j)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// child starts another process, and returns the lines it prints and its input,
// which it ends with.
func child(t *testing.T, do, path string) (*exec.Cmd, *bufio.Scanner, io.WriteCloser) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "JOURNAL_CHILD="+do, "JOURNAL_PATH="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out), in
}

const childRuns = 8

// writeSteps keeps steps without end, and says of each when it is safe.
func writeSteps(j *journal.Journal) error {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		errs = make([]error, childRuns)
	)
	for i := range childRuns {
		r := &run.Record{ID: fmt.Sprint("run_", i), Status: run.Running, Started: now.Add(time.Duration(i))}
		if err := j.Begin(r, true); err != nil {
			return err
		}
		wg.Go(func() {
			for n := 0; errs[i] == nil; n++ {
				s := run.StepRecord{Index: n, Node: "n", Type: "mcp", Key: fmt.Sprint("n#", n), Started: now}
				if errs[i] = j.Step(r.ID, s); errs[i] != nil {
					return
				}
				s.Ended, s.Output = n+1, fmt.Sprint("output ", n)
				in := run.Intent{Key: fmt.Sprint("n#", n, "/call"), Kind: run.IntentCall, At: now}
				if errs[i] = errors.Join(j.Step(r.ID, s), j.Intend(r.ID, in, true)); errs[i] == nil {
					mu.Lock()
					fmt.Println(i, n)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// TestJournalOutlivesAKill: every step that was said to be safe is there after a
// SIGKILL among thousands, whole and in order, and no step is half there.
func TestJournalOutlivesAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	cmd, lines, _ := child(t, "steps", path)
	var safe [childRuns]int
	for count := 0; lines.Scan(); {
		var i, n int
		if _, err := fmt.Sscan(lines.Text(), &i, &n); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		safe[i] = n + 1
		if count++; count >= 3000 && safe[childRuns-1] > 0 { // all have begun
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	j := openJournal(t, path, nil)
	runs, err := j.ClaimOrphans("")
	if err != nil || len(runs) != childRuns {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	for i, r := range runs {
		if r.ID != fmt.Sprint("run_", i) || r.Status != run.Running || len(r.Steps) < safe[i] {
			t.Errorf("%s: %s, %d steps of at least %d", r.ID, r.Status, len(r.Steps), safe[i])
		}
		for n, s := range r.Steps {
			done := s.Ended == n+1 && s.Output == fmt.Sprint("output ", n)
			begun := s.Ended == 0 && s.Output == nil && n >= safe[i]
			if s.Key != fmt.Sprint("n#", n) || !done && !begun {
				t.Errorf("%s step %d: %+v", r.ID, n, s)
			}
		}
		if err := j.Begin(r, true); err != nil {
			t.Errorf("the run cannot go on: %v", err)
		}
	}
}

func adopt(j *journal.Journal) error {
	runs, err := j.ClaimOrphans("")
	if err != nil {
		return err
	}
	for _, r := range runs {
		fmt.Println(r.ID)
	}
	fmt.Println("that is all")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// TestJournalAdoptsOnce: of several processes that start after a crash, one gets
// each abandoned run; nobody gets a run whose process lives.
func TestJournalAdoptsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	cmd, lines, _ := child(t, "steps", path)
	for last := fmt.Sprint(childRuns-1, " "); lines.Scan() && !strings.HasPrefix(lines.Text(), last); { // all have begun
	}
	mine := openJournal(t, path, nil)
	if runs, err := mine.ClaimOrphans(""); err != nil || len(runs) != 0 {
		t.Errorf("%d runs of a living process: %v", len(runs), err)
	}
	r, err := mine.Load(operator, "run_0")
	if err != nil {
		t.Fatal(err)
	}
	if fault, ok := errors.AsType[*diag.Fault](mine.Begin(r, true)); !ok || fault.Code != "run-busy" {
		t.Errorf("to begin a run of a living process: %v", fault)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	var got []string
	var inputs []io.WriteCloser
	var all []*bufio.Scanner
	for range 3 {
		_, lines, in := child(t, "adopt", path)
		inputs, all = append(inputs, in), append(all, lines)
	}
	for _, lines := range all {
		for lines.Scan() && lines.Text() != "that is all" {
			got = append(got, lines.Text())
		}
	}
	slices.Sort(got)
	var want []string
	for i := range childRuns {
		want = append(want, fmt.Sprint("run_", i))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("adopted by three processes together (-want +got):\n%s", diff)
	}
	for _, in := range inputs {
		_ = in.Close()
	}
}

func runUntilCancelled(j *journal.Journal) error {
	r := &run.Record{ID: "run_1", Principal: "ann", Status: run.Running, Started: now}
	cancelled := make(chan string, 1)
	j.OnCancel(func(id string) { cancelled <- id })
	if err := j.Begin(r, true); err != nil {
		return err
	}
	fmt.Println("begun")
	fmt.Println(<-cancelled)
	r.Status, r.Ended = run.Cancelled, now
	if err := j.End(r, true); err != nil {
		return err
	}
	fmt.Println("ended")
	return j.Close()
}

// TestJournalCancelsAcrossProcesses: the process that runs a run learns of a
// cancellation.
func TestJournalCancelsAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	_, lines, _ := child(t, "run", path)
	lines.Scan()
	j := openJournal(t, path, nil)
	if err := j.Cancel(ann, "run_1"); err != nil {
		t.Fatal(err)
	}
	lines.Scan()
	if lines.Text() != "run_1" {
		t.Fatalf("it learns of %q", lines.Text())
	}
	lines.Scan()
	fault, _ := errors.AsType[*diag.Fault](j.Cancel(operator, "run_1"))
	if fault == nil || fault.Code != "not-running" || !strings.Contains(fault.Message, "cancelled") {
		t.Errorf("to cancel it again: %v", fault)
	}
}
