// Package cli is the command line of the product: the command tree, flags, and
// printing. What a command does is in package app.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/sys/telemetry"
	"github.com/patchbay-mcp/patchbay/run"
)

// Main is the program: it runs the command of the process and exits with its code.
// The setup is what a program that embeds the command line adds; hidden are values
// to mask in addition to the configured ones, and err is why the setup cannot be used.
func Main(setup app.Setup, hidden []secrets.Secret, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, cmp.Or(setup.Program, ownName)+":", err)
		os.Exit(exitUsage)
	}
	telemetry.TuneEachCollection()
	f := &flags{optionalWait: maxOptionalWait, setup: setup, secrets: hidden}
	os.Exit(runWith(f.untilSignal(), f, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal returns a context that the first SIGINT or SIGTERM ends. The second ends
// the program at once.
func (f *flags) untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write to a closed pipe fails, and does not end the program
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		f.interrupted.Store(true)
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	return ctx
}

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWaits       = 3
	exitInterrupted = 130
)

// Errors that end the program after everything was printed.
var (
	errFailed  = errors.New("failed")
	errMissing = errors.New("something is missing")
	errWaits   = errors.New("waits for a person")
)

// failedIf is the error of a command that has printed its result: err, or errFailed if what was
// asked was not done.
func failedIf(failed bool, err error) error {
	if err == nil && failed {
		return errFailed
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
	{exitOK, "success", nil, nil},
	{exitFailed, "a graph, an expression or a knowledge pack is not valid, a run or a test failed, `doctor` found an error, a run is parked until somebody decides about a call, or the result could not be written", errFailed, []string{diag.CodeCancelled, outputFailed}},
	{exitUsage, "the command was used incorrectly, or something that it needs is missing", errMissing, nil},
	{exitWaits, "the run waits for a person: `patchbay runs answer`", errWaits, nil},
	{exitInterrupted, "interrupted by a signal", nil, nil},
}

var outputFailed = diag.DefineFault("output-failed", diag.RefusesRequest, "the result of a command cannot be written", "free space on the disk of the file, or write to another; what the command did is done")

// unwritable is the fault of a result that could not be written.
func unwritable(path string, err error) *diag.Fault {
	return &diag.Fault{Code: outputFailed, Path: path, Message: "the result cannot be written: " + err.Error(), Err: err}
}

// misuse is the fault of a command line: of a flag, or of all of it where that is "".
func misuse(flag, message, hint string) *diag.Fault {
	return &diag.Fault{Code: diag.CodeUsage, Path: flag, Message: message, Hint: hint}
}

// Execute is main without the globals.
func Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(ctx, &flags{optionalWait: maxOptionalWait}, args, stdin, stdout, stderr)
}

func runWith(ctx context.Context, f *flags, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	input := newStandardInput(stdin, stderr)
	if f.atTerminal != nil {
		input.terminal = f.atTerminal()
	}
	if f.stdinPatience > 0 {
		input.patience = f.stdinPatience
	}
	f.words = args
	root := rootCommand(f)
	ctx, cancel := context.WithCancel(request.WithActor(ctx, run.Actor{Operator: true}))
	defer cancel()
	out := &maskedWriter{w: stdout, redactor: &f.redactor, visible: isTerminal(stdout), program: root.Name()}
	var unwritten atomic.Pointer[error]
	out.failed = func(err error) {
		unwritten.CompareAndSwap(nil, &err)
		cancel()
	}
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.InitDefaultHelpCmd()
		f.complete(root)
	}
	root.SetArgs(args)
	root.SetIn(input)
	root.SetOut(out)
	root.SetErr(&maskedWriter{w: stderr, redactor: &f.redactor, visible: true, program: root.Name(), width: func() int {
		if f.structured() || f.logJSON {
			return 0
		}
		return f.page(stderr).width
	}})
	cmd, err := root.ExecuteContextC(ctx)
	switch why := unwritten.Load(); {
	case why == nil || errors.Is(*why, syscall.EPIPE) && errors.Is(err, errFailed):
	case errors.Is(*why, syscall.EPIPE): // who read the output has what it wanted
		err = nil
	default:
		err = unwritable("", *why)
	}
	return f.exitCode(cmd, err)
}

// exitCode shows an error that was not, and returns the code with which the program ends.
func (f *flags) exitCode(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	code := -1
	for _, e := range ExitCodes {
		if e.err != nil && errors.Is(err, e.err) {
			code = e.Code
		}
	}
	if code < 0 {
		code = exitUsage
		fault := f.printError(cmd, err)
		for _, e := range ExitCodes {
			if slices.Contains(e.faults, fault.Code) {
				code = e.Code
			}
		}
	}
	if f.interrupted.Load() && code != exitWaits {
		return exitInterrupted
	}
	return code
}

// printError shows why a command could not do what was asked, in the form of the output,
// and returns the fault that it shows. An error that is not a fault is of the command line
// until the command runs, and then of the system.
func (f *flags) printError(cmd *cobra.Command, err error) *diag.Fault {
	stderr := cmd.ErrOrStderr()
	fault, ok := errors.AsType[*diag.Fault](err)
	switch {
	case ok:
		fault = newCommandWords(cmd).fault(fault)
		if unread := f.unreadAbove(); unread != "" && (fault.Code == diag.CodeUnknownServer || fault.Code == run.CodeUnknownNode) {
			fault.Hint += "; " + unread
		}
	case f.runs:
		fault = &diag.Fault{Code: codeSystemError, Message: err.Error()}
	default:
		fault = misuse("", err.Error(), cmd.CommandPath()+" --help")
	}
	if f.structured() && !f.longRunning {
		_ = f.writeValue(stderr, map[string]*diag.Fault{"error": fault})
	} else {
		printFault(stderr, fault)
	}
	return fault
}

// printFault shows a fault to people.
func printFault(w io.Writer, f *diag.Fault) {
	if p, ok := w.(*page); ok {
		w = p.prose()
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
	printSuggestions(w, f.Suggestions, f.Hint)
}

// printSuggestions shows what may have been meant, and the hint if it says something else.
func printSuggestions(w io.Writer, suggestions []string, hint string) {
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

// flags are those of every verb.
type flags struct {
	graphs []string // -g
	mcp    []string // -m
	packs  []string // --pack
	config string
	store  string // sqlite, memory, or "": as the configuration says
	debug  bool

	output

	serverFiles      []string // files that a command works on, whose servers are started too
	checkedFiles     []string // files that a command only looks at: their servers are started if they are trusted
	connect          bool     // start the servers of such files too
	never            bool     // start no configured server at all
	logJSON          bool     // log lines of JSON
	longRunning      bool     // until the client leaves, not for one command
	lazy             bool     // servers whose tools are known start when something needs them
	exposeDownstream bool     // let what servers offer pass through
	lenient          bool     // continue with whatever is wrong, to report it
	offline          bool     // start no server before a node needs it
	startsLater      bool     // the command starts the servers itself

	atTerminal func() bool // a person types and sees what is asked; nil looks at the input and output

	stdinPatience time.Duration // how long a command waits for standard input before it says so; 0 is a second

	watch   bool             // run again whenever a file changes
	against string           // of test: NAME=COMMAND of a server
	live    bool             // of test: models are asked again
	ticks   <-chan time.Time // when --watch looks for changes; nil: every watchEvery

	optionalWait time.Duration // how long a command waits for a server that it may not need

	words    []string       // of the command line
	cmd      *cobra.Command // that is executed
	waiting  *waiting       // servers that it has waited for
	framed   atomic.Bool    // a view is shown at the terminal
	screenOf *terminal      // nil: standard error, if it is a terminal

	root    *cobra.Command
	setup   app.Setup        // what the program that embeds the command line adds
	secrets []secrets.Secret // values to mask in addition to the configured ones

	runs        bool        // the arguments of the command are understood
	interrupted atomic.Bool // by a signal

	redactor atomic.Pointer[secrets.Redactor] // of the configuration, once it is read
}

func rootCommand(f *flags) *cobra.Command {
	f.root = &cobra.Command{
		Use:           f.programName(),
		Short:         "Turn MCP tools into new, tested tools",
		Long:          "Patchbay lets an agent turn MCP tools into new tools. The agent searches nodes (built-in node types, and every tool of your MCP servers), writes a graph of them, has it checked, runs it and saves it as a tool.",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root := f.root
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand is ours
	p := root.PersistentFlags()
	p.StringArrayVarP(&f.graphs, "graph", "g", nil, "graph document `FILE` whose tools and servers are offered (repeatable)")
	p.StringArrayVarP(&f.mcp, "mcp", "m", nil, "mcp.json `FILE` with downstream servers (repeatable)")
	p.StringArrayVar(&f.packs, "pack", nil, "knowledge `PACK` to use too: a folder, or workflow for the one in the program (repeatable)")
	p.StringVar(&f.config, "config", "", "patchbay.yaml `FILE` to use instead of the one that is found")
	p.StringVar(&f.store, "store", "", "`STORE` for runs: sqlite (default), or memory, which keeps them while the process lives")
	p.BoolVar(&f.never, "offline", false, "start and reach no configured server; tools are those that are cached")
	p.BoolVar(&f.debug, "debug", false, "log more to stderr")
	f.addOutputFlags(p)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		f.cmd = cmd
		if err := f.checkFiles(); err != nil {
			return err
		}
		return f.checkOutput()
	}
	root.AddCommand(
		serveCommand(f), uiCommand(f), demoCommand(f), fmtCommand(f), testCommand(f), doctorCommand(f), initCommand(f), trustCommand(f), tokenCommand(f), callsCommand(f), versionCommand(f), completionCommand(), schemaCommand(f), packsCommand(f), skillsCommand(f), graphqlCommand(f), openapiCommand(f),
	)
	if f.setup.Runtime != nil {
		root.AddCommand(workerCommand(f))
	}
	root.AddCommand(f.operationCommands()...)
	root.SetHelpCommand(helpCommand())
	root.SetHelpFunc(f.help(root.HelpFunc()))
	arrange(root)
	name(root)
	f.prepare(root)
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return c.Help()
	}
	return root
}

// Command returns the command tree of the binary.
func Command() *cobra.Command { return rootCommand(&flags{}) }
