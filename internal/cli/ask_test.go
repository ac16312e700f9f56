package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

const orderGraph = `name: order
inputSchema:
  type: object
  properties:
    note: {type: string}
    size: {type: string, description: how large, enum: [small, large]}
    id: {type: string}
    count: {type: integer}
    gift: {type: boolean, default: false}
  required: [id, count, size, gift]
nodes:
  - {id: entry, type: entry, next: out}
  - {id: out, type: transform, transform: {expr: $.entry}, next: exit}
  - {id: exit, type: exit}
`

// inFolder runs a command in a folder with the graph order.yaml.
func inFolder(t *testing.T, f *command.Flags, stdin io.Reader, stderr io.Writer, args ...string) (code int, stdout string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", filepath.Join(t.TempDir(), "home"))
	if err := os.WriteFile("order.yaml", []byte(orderGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	code = runWith(t.Context(), f, args, stdin, &out, stderr)
	return code, out.String()
}

// A name that the graph does not declare is refused before anything is asked for.
func TestMisnamedArgumentsAreRefusedAtOnce(t *testing.T) {
	var log strings.Builder
	f := &command.Flags{AtTerminal: func() bool { return true }}
	code, _ := inFolder(t, f, strings.NewReader("large\n7\n2\n\n"), &log, "run", "order.yaml", "cuont=2", "id=7", "size=small")
	if code == command.ExitOK || strings.Contains(log.String(), "> ") || !strings.Contains(log.String(), "did you mean: count") {
		t.Errorf("exit %d\n%s", code, log.String())
	}
}

// At a terminal the missing arguments are asked for, the required ones first and until
// the answer fits; an empty line skips one that may be left out.
func TestMissingArgumentsAreAskedFor(t *testing.T) {
	for _, tt := range []struct {
		name, typed, want string
		code              int
		asked             string
	}{
		{"all", "large\n007\n2\n\nplease\n", `{"count":2,"id":"007","note":"please","size":"large","gift":false}`, command.ExitOK, "size (string): how large\n  one of large, small\n"},
		{"until they fit", "\nhuge\nsmall\n7\ntwo\n2\ntrue\n\n", `{"count":2,"gift":true,"id":"7","size":"small"}`, command.ExitOK, "> size is required\n> write one of large, small\n> "},
		{"the input ends", "large\n", "", command.ExitInterrupted, "nothing was run: the input ended before id was given [cancelled]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			f := &command.Flags{AtTerminal: func() bool { return true }}
			code, out := inFolder(t, f, strings.NewReader(tt.typed), &log, "run", "order.yaml")
			if code != tt.code || !strings.Contains(log.String(), tt.asked) {
				t.Errorf("exit %d\n%s", code, log.String())
			}
			if strings.TrimSpace(out) != tt.want {
				t.Errorf("got %s want %s", out, tt.want)
			}
		})
	}
}

// Nobody is asked where nothing is missing, or nobody is there.
func TestNobodyIsAskedInVain(t *testing.T) {
	for _, there := range []bool{true, false} {
		args := []string{"run", "order.yaml", "id=7", "size=small"}
		if there {
			args = append(args, "count=1")
		}
		var log strings.Builder
		code, _ := inFolder(t, &command.Flags{AtTerminal: func() bool { return there }}, strings.NewReader("1\n"), &log, args...)
		if strings.Contains(log.String(), "> ") || (code == command.ExitOK) != there {
			t.Errorf("exit %d\n%s", code, log.String())
		}
	}
}

// An interrupt ends a command that waits for an answer.
func TestQuestionsAreInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	if err := os.WriteFile("order.yaml", []byte(orderGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	silent, end := io.Pipe()
	defer func() { _ = end.Close() }()
	ctx, interrupt := context.WithCancel(t.Context())
	f := &command.Flags{AtTerminal: func() bool { return true }}
	log := &watched{seen: func(text string) {
		if strings.HasSuffix(text, "> ") {
			f.Interrupted.Store(true)
			interrupt()
		}
	}}
	if code := runWith(ctx, f, []string{"run", "order.yaml"}, silent, io.Discard, log); code != command.ExitInterrupted {
		t.Errorf("exit %d", code)
	}
}

// A watched writer shows what was written to it so far.
type watched struct {
	text strings.Builder
	seen func(text string)
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	w.seen(w.text.String())
	return n, err
}

// A command that waits for a pipe says so, and then reads it.
func TestWaitingForStandardInputIsSaid(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	log := &watched{seen: func(text string) {
		if strings.Contains(text, "waiting for standard input: the missing \"id\"…\n") {
			_, _ = write.WriteString("007\n")
			_ = write.Close()
		}
	}}
	code, out := inFolder(t, &command.Flags{StdinPatience: 1}, read, log, "run", "order.yaml", "size=small", "count=1")
	if code != command.ExitOK || !strings.Contains(out, `"id":"007"`) {
		t.Errorf("exit %d, %s\n%s", code, out, log.text.String())
	}
}

// A pipe that stays open is read only where it is needed, and an input that is closed
// or empty changes nothing.
func TestStandardInputIsLeftAlone(t *testing.T) {
	open, keep, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = keep.Close() }()
	defer func() { _ = open.Close() }()
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	_ = closed.Close()
	var log strings.Builder
	if code, _ := inFolder(t, &command.Flags{}, open, &log, "run", "order.yaml", "id=1", "size=small", "count=1"); code != command.ExitOK {
		t.Error(log.String())
	}
	for _, stdin := range []*os.File{closed, null} {
		log.Reset()
		if code, _ := inFolder(t, &command.Flags{}, stdin, &log, "run", "order.yaml", "id=1", "size=small"); code != command.ExitFailed || !strings.Contains(log.String(), `the argument "count" is missing [invalid-arguments]`) {
			t.Errorf("exit %d\n%s", code, log.String())
		}
	}
}
