package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/run"
)

// The exit codes of the program; [ExitCodes] says what each means.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitWaits       = 3
	ExitInterrupted = 130
)

// Errors that end the program after everything was printed.
var (
	ErrFailed  = errors.New("failed")
	errMissing = errors.New("something is missing")
	errWaits   = errors.New("waits for a person")
)

// FailedIf is the error of a command that has printed its result: err, or errFailed if what was
// asked was not done.
func FailedIf(failed bool, err error) error {
	if err == nil && failed {
		return ErrFailed
	}
	return err
}

// ExitCodes says what each exit code of the program means, and by which errors or codes of
// faults a command ends with it. Other faults end it with 2.
var ExitCodes = []struct {
	Code    int
	Meaning string
	err     error
	faults  []string
}{
	{ExitOK, "success", nil, nil},
	{ExitFailed, "a graph, an expression or a knowledge pack is not valid, a run or a test failed, `doctor` found an error, a run is parked until somebody decides about a call, or the result could not be written", ErrFailed, []string{diag.CodeCancelled, outputFailed}},
	{ExitUsage, "the command was used incorrectly, or something that it needs is missing", errMissing, nil},
	{ExitWaits, "the run waits for a person: `patchbay runs answer`", errWaits, nil},
	{ExitInterrupted, "interrupted by a signal", nil, nil},
}

var outputFailed = diag.DefineFault("output-failed", diag.RefusesRequest, "the result of a command cannot be written", "free space on the disk of the file, or write to another; what the command did is done")

// Unwritable is the fault of a result that could not be written.
func Unwritable(path string, err error) *diag.Fault {
	return &diag.Fault{Code: outputFailed, Path: path, Message: "the result cannot be written: " + err.Error(), Err: err}
}

// Misuse is the fault of a command line: of a flag, or of all of it where that is "".
func Misuse(flag, message, hint string) *diag.Fault {
	return &diag.Fault{Code: diag.CodeUsage, Path: flag, Message: message, Hint: hint}
}

// ExitCode shows an error that was not, and returns the code with which the program ends.
func (f *Flags) ExitCode(cmd *cobra.Command, err error) int {
	if err == nil {
		return ExitOK
	}
	code := -1
	for _, e := range ExitCodes {
		if e.err != nil && errors.Is(err, e.err) {
			code = e.Code
		}
	}
	if code < 0 {
		code = ExitUsage
		fault := f.printError(cmd, err)
		for _, e := range ExitCodes {
			if slices.Contains(e.faults, fault.Code) {
				code = e.Code
			}
		}
	}
	if f.Interrupted.Load() && code != ExitWaits {
		return ExitInterrupted
	}
	return code
}

// printError shows why a command could not do what was asked, in the form of the output,
// and returns the fault that it shows. An error that is not a fault is of the command line
// until the command runs, and then of the system.
func (f *Flags) printError(cmd *cobra.Command, err error) *diag.Fault {
	stderr := cmd.ErrOrStderr()
	fault, ok := errors.AsType[*diag.Fault](err)
	switch {
	case ok:
		fault = NewWords(cmd).fault(fault)
		if unread := f.UnreadAbove(); unread != "" && (fault.Code == diag.CodeUnknownServer || fault.Code == run.CodeUnknownNode) {
			fault.Hint += "; " + unread
		}
	case f.runs:
		fault = &diag.Fault{Code: codeSystemError, Message: err.Error()}
	default:
		fault = Misuse("", err.Error(), cmd.CommandPath()+" --help")
	}
	if f.Structured() && !f.LongRunning {
		_ = f.writeValue(stderr, map[string]*diag.Fault{"error": fault})
	} else {
		PrintFault(stderr, fault)
	}
	return fault
}

// PrintFault shows a fault to people.
func PrintFault(w io.Writer, f *diag.Fault) {
	if p, ok := w.(*term.Page); ok {
		w = p.Prose()
	}
	fmt.Fprintf(w, "patchbay: %s [%s]\n", f.Error(), f.Code)
	if f.Path != "" {
		fmt.Fprintf(w, "  at: %s\n", f.Path)
	}
	if f.Got != nil {
		fmt.Fprintf(w, "  got:%s\n", shown(f.Got))
	}
	if f.Want != nil {
		fmt.Fprintf(w, "  want:%s\n", shown(f.Want))
	}
	PrintSuggestions(w, f.Suggestions, f.Hint)
}

// PrintSuggestions shows what may have been meant, and the hint if it says something else.
func PrintSuggestions(w io.Writer, suggestions []string, hint string) {
	for _, s := range suggestions {
		fmt.Fprintf(w, "  did you mean: %s\n", s)
	}
	if hint != "" && (len(suggestions) == 0 || !strings.HasPrefix(hint, "did you mean ")) {
		fmt.Fprintf(w, "  hint: %s\n", hint)
	}
}

// shown is a value as people read it after a label: a space and its JSON, or the lines of a
// text that has several.
func shown(v any) string {
	if text, ok := v.(string); ok && strings.Contains(text, "\n") {
		return "\n    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ")
	}
	return " " + compact(v)
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
