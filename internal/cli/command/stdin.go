package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"github.com/patchbay-mcp/patchbay/diag"
)

// stdinPatience is how long a command waits for standard input before it says so.
const stdinPatience = time.Second

// A standardInput is what a command reads, at most once.
type standardInput struct {
	io.Reader
	Patience time.Duration
	Terminal bool // a person types, and sees what is asked
	piped    bool // a program or a file gives it, and it ends

	reader string        // what has been read from it, such as "--args"
	lines  *bufio.Reader // of what a person types
}

// NewStandardInput looks at where the input comes from, and where questions go.
func NewStandardInput(stdin io.Reader, stderr io.Writer) *standardInput {
	in := &standardInput{Reader: stdin, Patience: stdinPatience}
	if f, ok := stdin.(*os.File); ok {
		out, shown := stderr.(*os.File)
		in.Terminal = shown && xterm.IsTerminal(int(f.Fd())) && xterm.IsTerminal(int(out.Fd()))
		info, err := f.Stat()
		in.piped = err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
	}
	return in
}

// ReadStdin is the standard input of a command.
func ReadStdin(cmd *cobra.Command) *standardInput {
	in, ok := cmd.InOrStdin().(*standardInput)
	if !ok {
		in = NewStandardInput(cmd.InOrStdin(), cmd.ErrOrStderr())
		cmd.SetIn(in)
	}
	return in
}

// readAll reads the input to its end, for what is named, such as "--args". It refuses
// to be read twice, and says on stderr what it waits for if that takes long.
func (in *standardInput) readAll(ctx context.Context, stderr io.Writer, what string) (string, error) {
	if in.reader != "" {
		return "", Misuse(what, "standard input can be read only once, and "+in.reader+" has been read from it", "put one of the two in a file, and write @FILE")
	}
	in.reader = what
	text, err := wait(ctx, in.Patience, func() (string, error) {
		b, err := io.ReadAll(io.LimitReader(in.Reader, MaxInput+1))
		return string(b), err
	}, func() { fmt.Fprintf(stderr, "waiting for standard input: %s…\n", what) })
	if err == nil && len(text) > MaxInput {
		return "", fmt.Errorf("standard input is larger than %d MiB", MaxInput>>20)
	}
	return text, err
}

// ReadLine reads what a person types, without the end of the line. The error is io.EOF
// when they have ended the input.
func (in *standardInput) ReadLine(ctx context.Context) (string, error) {
	if in.lines == nil {
		in.lines = bufio.NewReader(in.Reader)
	}
	line, err := wait(ctx, 0, func() (string, error) { return in.lines.ReadString('\n') }, nil)
	if line != "" && errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// Agrees reads a line, and reports whether it says yes; the end of the input does not.
func (in *standardInput) Agrees(ctx context.Context) (bool, error) {
	line, err := in.ReadLine(ctx)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"), err
}

// wait returns what a function reads, or the fault that the command was interrupted
// before. It calls late, if there is one, when the reading has taken longer than so
// long.
func wait(ctx context.Context, patience time.Duration, read func() (string, error), late func()) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	var patient <-chan time.Time
	if late != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		patient = timer.C
	}
	for {
		select {
		case r := <-done:
			return r.text, r.err
		case <-patient:
			late()
		case <-ctx.Done():
			return "", &diag.Fault{Code: diag.CodeCancelled, Message: "the command was interrupted while it waited for standard input"}
		}
	}
}

// FileName is the file that a position or a flag names: @FILE is FILE, and @- is -,
// standard input.
func FileName(given string) string {
	if name, marked := strings.CutPrefix(given, "@"); marked && name != "" {
		return name
	}
	return given
}

// IsSource reports whether a text is not a value, but says where to read it: - or @FILE.
func IsSource(text string) bool { return text == "-" || len(text) > 1 && text[0] == '@' }

// ReadSource returns the text that - or @FILE stands for, and any other text as it is.
// What names what is read, such as "--args".
func ReadSource(cmd *cobra.Command, what, text string) (string, error) {
	if !IsSource(text) {
		return text, nil
	}
	return readFor(cmd, what, FileName(text))
}
