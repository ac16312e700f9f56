package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/run"
)

// A run is watched until it has ended, also over the end of the process that executed it:
// progress goes to standard error, and the outcome to standard output.
func TestRunIsWatched(t *testing.T) {
	isolated(t)
	writing(t, "sure.yaml", askingGraph)()
	if code := Execute(t.Context(), []string{"run", "sure.yaml"}, nil, io.Discard, io.Discard); code != command.ExitWaits {
		t.Fatalf("the run ends with %d", code)
	}
	ticks := make(chan time.Time)
	var stdout bytes.Buffer
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runWith(t.Context(), &command.Flags{OptionalWait: command.MaxOptionalWait, Ticks: ticks}, []string{"runs", "watch", "latest"}, nil, &stdout, write)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	until := func(last string) (all string) {
		for lines.Scan() {
			all += lines.Text() + "\n"
			if strings.Contains(lines.Text(), last) {
				return all
			}
		}
		t.Fatalf("it ends after %q", all)
		return ""
	}
	if got := until("Sure?"); !regexp.MustCompile(`^ok   entry +\d+ ms\nasks \(sure#0\): Sure\?\n$`).MatchString(got) {
		t.Errorf("until it waits: %q", got)
	}
	if code := Execute(t.Context(), []string{"runs", "answer", "latest", "accept"}, nil, io.Discard, io.Discard); code != command.ExitOK {
		t.Fatalf("the answer ends with %d", code)
	}
	ticks <- time.Time{}
	if got := until("ok   exit"); !strings.Contains(got, "ok   sure") {
		t.Errorf("until it ends: %q", got)
	}
	if got := <-code; got != command.ExitOK {
		t.Errorf("the command ends with %d", got)
	}
	if !regexp.MustCompile(`^run_\w+ succeeded: 3 node executions in [\d.]+ ms\n$`).MatchString(stdout.String()) {
		t.Errorf("standard output: %q", stdout.String())
	}
}

// A run that has ended is shown at once. The exit code is its own, and without ID only runs
// that are running are watched.
func TestEndedRunIsWatched(t *testing.T) {
	isolated(t)
	writing(t, "bad.yaml", strings.Replace(soundGraph, "result: 1", `result: {expr: '$error("no")'}`, 1))()
	// A debugger pauses it before its last node, which does not count as an execution.
	if code := Execute(t.Context(), []string{"run", "bad.yaml", "--break", "exit"}, strings.NewReader("continue\n"), io.Discard, io.Discard); code != command.ExitFailed {
		t.Fatalf("the run ends with %d", code)
	}
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"runs watch latest", `^run_\w+ failed: 2 node executions in [\d.]+ ms\npatchbay: node "exit"`, `^ok   entry +\d+ ms\nFAIL exit +\d+ ms\n$`, command.ExitFailed},
		{"runs watch latest --quiet", `^run_\w+ failed`, `^$`, command.ExitFailed},
		{"runs watch latest --query runs.status", `^"failed"\n$`, `^$`, command.ExitFailed},
		{"runs watch", `^no run is running\n$`, `^$`, command.ExitOK},
		{"runs watch -o json", `^\{\n  "runs": \[\]\n\}\n$`, `^$`, command.ExitOK},
		{"runs watch run_none", `^$`, `unknown-run`, command.ExitUsage},
	} {
		var stdout, stderr bytes.Buffer
		code := Execute(t.Context(), strings.Fields(c.args), nil, &stdout, &stderr)
		if code != c.code || !regexp.MustCompile(c.stdout).MatchString(stdout.String()) || !regexp.MustCompile(c.stderr).MatchString(stderr.String()) {
			t.Errorf("patchbay %s: exit code %d\n%q\n%q", c.args, code, stdout.String(), stderr.String())
		}
	}
}

// At a terminal, a run has a line of its own above those of its nodes.
func TestWatchedFrames(t *testing.T) {
	w := &watchedRuns{}
	w.add("run_1")
	w.add("run_1")
	w.runs[0].graph, w.runs[0].status = "send", "running"
	r := &w.runs[0].live
	start := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	r.Event(run.Event{Key: "entry#0", At: start})
	r.Event(run.Event{Key: "entry#0", At: start.Add(time.Millisecond), Duration: time.Millisecond, Ended: true})
	r.Event(run.Event{Key: "send#0", At: start.Add(time.Millisecond)})
	one := "run_1  send  running\n  ok   entry       1 ms\n  /    send      100 ms"
	if got := strings.Join(w.Frame(&term.Page{}, start.Add(101*time.Millisecond), 20), "\n"); got != one {
		t.Errorf("one run:\n%s", got)
	}
	w.add("run_2")
	w.runs[1].status = "failed"
	if got := strings.Join(w.Frame(&term.Page{}, start.Add(101*time.Millisecond), 20), "\n"); got != one+"\nrun_2  (no name)  failed" {
		t.Errorf("two runs:\n%s", got)
	}
}

// At 80 columns with colours, a frame of runs shows the same as without.
func TestColoursDoNotShortenRuns(t *testing.T) {
	w := &watchedRuns{runs: []*watchedRun{{id: "run_01KDX4A0B1C2D3E4F5G6H7J8K9", graph: "sends", status: run.Failed}}}
	for i, line := range w.Frame(&term.Page{Width: 80, Color: true}, time.Now(), 9) {
		var b strings.Builder
		fmt.Fprint(&term.MaskedWriter{W: &b, Redactor: &atomic.Pointer[secrets.Redactor]{}}, line)
		line = regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(b.String(), "")
		if plain := w.Frame(&term.Page{Width: 80}, time.Now(), 9)[i]; line != plain {
			t.Errorf("%q, in colours %q", plain, line)
		}
	}
}
