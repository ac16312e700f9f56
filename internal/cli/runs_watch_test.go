package cli

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A run is watched until it has ended, also over the end of the process that executed it:
// progress goes to standard error, and the outcome to standard output.
func TestRunIsWatched(t *testing.T) {
	isolated(t)
	writing(t, "sure.yaml", askingGraph)()
	if code := Execute(t.Context(), []string{"run", "sure.yaml"}, nil, io.Discard, io.Discard); code != exitWaits {
		t.Fatalf("the run ends with %d", code)
	}
	ticks := make(chan time.Time)
	var stdout bytes.Buffer
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runWith(t.Context(), &flags{optionalWait: maxOptionalWait, ticks: ticks}, []string{"runs", "watch", "latest"}, nil, &stdout, write)
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
	if code := Execute(t.Context(), []string{"runs", "answer", "latest", "accept"}, nil, io.Discard, io.Discard); code != exitOK {
		t.Fatalf("the answer ends with %d", code)
	}
	ticks <- time.Time{}
	if got := until("ok   exit"); !strings.Contains(got, "ok   sure") {
		t.Errorf("until it ends: %q", got)
	}
	if got := <-code; got != exitOK {
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
	if code := Execute(t.Context(), []string{"run", "bad.yaml", "--break", "exit"}, strings.NewReader("continue\n"), io.Discard, io.Discard); code != exitFailed {
		t.Fatalf("the run ends with %d", code)
	}
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"runs watch latest", `^run_\w+ failed: 2 node executions in [\d.]+ ms\npatchbay: node "exit"`, `^ok   entry +\d+ ms\nFAIL exit +\d+ ms\n$`, exitFailed},
		{"runs watch latest --quiet", `^run_\w+ failed`, `^$`, exitFailed},
		{"runs watch latest --query runs.status", `^"failed"\n$`, `^$`, exitFailed},
		{"runs watch", `^no run is running\n$`, `^$`, exitOK},
		{"runs watch -o json", `^\{\n  "runs": \[\]\n\}\n$`, `^$`, exitOK},
		{"runs watch run_none", `^$`, `unknown-run`, exitUsage},
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
	r.event(stepEvent("entry#0", 0, false))
	r.event(stepEvent("entry#0", 1, true))
	r.event(stepEvent("send#0", 1, false))
	one := "run_1  send  running\n  ok   entry       1 ms\n  /    send      100 ms"
	if got := strings.Join(w.frame(&page{}, after(101), 20), "\n"); got != one {
		t.Errorf("one run:\n%s", got)
	}
	w.add("run_2")
	w.runs[1].status = "failed"
	if got := strings.Join(w.frame(&page{}, after(101), 20), "\n"); got != one+"\nrun_2  (no name)  failed" {
		t.Errorf("two runs:\n%s", got)
	}
}
