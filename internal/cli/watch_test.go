package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

const (
	soundGraph  = "nodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit, result: 1}\n"
	brokenGraph = "nodes:\n  - {id: entry, type: entry, next: nowhere}\n  - {id: exit, type: exit, result: 1}\n"
)

// watching runs a command with --watch. round makes a change, lets the command look for
// it, and returns what it prints up to a line that contains last.
func watching(t *testing.T, args ...string) (round func(change func(), last string) string, end func() int) {
	t.Helper()
	isolated(t)
	ctx, cancel := context.WithCancel(t.Context())
	ticks := make(chan time.Time)
	f := &command.Flags{OptionalWait: command.MaxOptionalWait, Ticks: ticks}
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runWith(ctx, f, append(args, "--watch"), nil, write, write)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	round = func(change func(), last string) string {
		if change != nil {
			change()
			ticks <- time.Time{}
		}
		var b strings.Builder
		for lines.Scan() {
			b.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), last) {
				return b.String()
			}
		}
		t.Fatalf("it ended after\n%s", b.String())
		return ""
	}
	return round, func() int {
		f.Interrupted.Store(true)
		cancel()
		for lines.Scan() {
			t.Errorf("printed at the end: %s", lines.Text())
		}
		return <-code
	}
}

func isolated(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
}

// write writes a file of the working directory.
func writing(t *testing.T, path, text string) func() {
	t.Helper()
	return func() {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
}

func TestWatchValidate(t *testing.T) {
	round, end := watching(t, "validate", ".")
	if got := round(nil, "hint:"); !strings.Contains(got, "there are no graph documents") {
		t.Errorf("without files:\n%s", got)
	}
	if got := round(writing(t, "g.yaml", soundGraph), "with errors"); !strings.Contains(got, " g.yaml created\n") || !strings.Contains(got, "1 valid, 0 with errors") {
		t.Errorf("with a new file:\n%s", got)
	}
	if got := round(writing(t, "g.yaml", brokenGraph), "with errors"); !strings.Contains(got, " g.yaml changed\n") || !strings.Contains(got, "0 valid, 1 with errors") {
		t.Errorf("with a change:\n%s", got)
	}
	if got := round(func() { _ = os.Remove("g.yaml") }, "hint:"); !strings.Contains(got, " g.yaml removed\n") {
		t.Errorf("without the file:\n%s", got)
	}
	if code := end(); code != command.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

// A test is done again when its graph changes, and -o json prints a line each time.
func TestWatchTest(t *testing.T) {
	isolated(t)
	writing(t, "g.yaml", soundGraph)()
	writing(t, "g.test.yaml", "- {result: 1}\n")()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	round, end := watching(t, "test", filepath.Join(dir, "g.test.yaml"), "-o", "json")
	if got := round(nil, "}"); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, `"passed":1,"failed":0}`+"\n") {
		t.Errorf("at first: %s", got)
	}
	if got := round(writing(t, filepath.Join(dir, "g.yaml"), strings.Replace(soundGraph, "result: 1", "result: 22", 1)), "}"); !strings.HasSuffix(got, `"passed":0,"failed":1}`+"\n") {
		t.Errorf("after a change of the graph: %s", got)
	}
	if code := end(); code != command.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

func TestWatchNeedsLines(t *testing.T) {
	isolated(t)
	for _, args := range []string{"validate . --watch -o yaml", "test . --watch --file x", "fmt . --watch", "validate - --watch"} {
		if code := Execute(t.Context(), strings.Fields(args), strings.NewReader(""), io.Discard, io.Discard); code != command.ExitUsage {
			t.Errorf("%s: exit code %d", args, code)
		}
	}
}
