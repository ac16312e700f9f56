// Package cli is the command line of the product: the command tree, flags, and
// printing. What a command does is in package app.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/setup"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
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
		fmt.Fprintln(os.Stderr, cmp.Or(setup.Program, command.OwnName)+":", err)
		os.Exit(command.ExitUsage)
	}
	telemetry.TuneEachCollection()
	f := &command.Flags{OptionalWait: command.MaxOptionalWait, Setup: setup, Secrets: hidden}
	os.Exit(runWith(untilSignal(f), f, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal returns a context that the first SIGINT or SIGTERM ends. The second ends
// the program at once.
func untilSignal(f *command.Flags) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write to a closed pipe fails, and does not end the program
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		f.Interrupted.Store(true)
		cancel()
		<-signals
		os.Exit(command.ExitInterrupted)
	}()
	return ctx
}

// Execute is main without the globals.
func Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(ctx, &command.Flags{OptionalWait: command.MaxOptionalWait}, args, stdin, stdout, stderr)
}

func runWith(ctx context.Context, f *command.Flags, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	input := command.NewStandardInput(stdin, stderr)
	if f.AtTerminal != nil {
		input.Terminal = f.AtTerminal()
	}
	if f.StdinPatience > 0 {
		input.Patience = f.StdinPatience
	}
	f.Words = args
	root := rootCommand(f)
	ctx, cancel := context.WithCancel(request.WithActor(ctx, run.Actor{Operator: true}))
	defer cancel()
	ours := func(text string) string { return command.Named(root.Name(), text) }
	out := &term.MaskedWriter{W: stdout, Redactor: &f.Redactor, Visible: term.IsTerminal(stdout), Named: ours}
	var unwritten atomic.Pointer[error]
	out.Failed = func(err error) {
		unwritten.CompareAndSwap(nil, &err)
		cancel()
	}
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.InitDefaultHelpCmd()
		complete(f, root)
	}
	root.SetArgs(args)
	root.SetIn(input)
	root.SetOut(out)
	root.SetErr(&term.MaskedWriter{W: stderr, Redactor: &f.Redactor, Visible: true, Named: ours, Width: func() int {
		if f.Structured() || f.LogJSON {
			return 0
		}
		return f.Page(stderr).Width
	}})
	cmd, err := root.ExecuteContextC(ctx)
	switch why := unwritten.Load(); {
	case why == nil || errors.Is(*why, syscall.EPIPE) && errors.Is(err, command.ErrFailed):
	case errors.Is(*why, syscall.EPIPE): // who read the output has what it wanted
		err = nil
	default:
		err = command.Unwritable("", *why)
	}
	return f.ExitCode(cmd, err)
}

func rootCommand(f *command.Flags) *cobra.Command {
	f.Root = &cobra.Command{
		Use:           f.ProgramName(),
		Short:         "Turn MCP tools into new, tested tools",
		Long:          "Patchbay lets an agent turn MCP tools into new tools. The agent searches nodes (built-in node types, and every tool of your MCP servers), writes a graph of them, has it checked, runs it and saves it as a tool.",
		Version:       command.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root := f.Root
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand is ours
	p := root.PersistentFlags()
	p.StringArrayVarP(&f.Graphs, "graph", "g", nil, "graph document `FILE` whose tools and servers are offered (repeatable)")
	p.StringArrayVarP(&f.MCP, "mcp", "m", nil, "mcp.json `FILE` with downstream servers (repeatable)")
	p.StringArrayVar(&f.Packs, "pack", nil, "knowledge `PACK` to use too: a folder, or workflow for the one in the program (repeatable)")
	p.StringVar(&f.Config, "config", "", "patchbay.yaml `FILE` to use instead of the one that is found")
	p.StringVar(&f.Store, "store", "", "`STORE` for runs: sqlite (default), or memory, which keeps them while the process lives")
	p.BoolVar(&f.Never, "offline", false, "start and reach no configured server; tools are those that are cached")
	p.BoolVar(&f.Debug, "debug", false, "log more to stderr")
	f.AddOutputFlags(p)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		f.Cmd = cmd
		if err := f.CheckFiles(); err != nil {
			return err
		}
		return f.CheckOutput()
	}
	root.AddCommand(
		serveCommand(f), uiCommand(f), setup.DemoCommand(f), fmtCommand(f), testCommand(f), setup.DoctorCommand(f), setup.InitCommand(f), setup.TrustCommand(f), setup.TokenCommand(f), setup.CallsCommand(f), command.VersionCommand(f), completionCommand(), schemaCommand(f),
		setup.PacksCommand(f),
		setup.SkillsCommand(f),
		setup.GraphQLCommand(f),
		setup.OpenAPICommand(f),
	)
	if f.Setup.Runtime != nil {
		root.AddCommand(workerCommand(f))
	}
	root.AddCommand(operationCommands(f)...)
	root.SetHelpCommand(command.HelpCommand())
	root.SetHelpFunc(f.Help(root.HelpFunc()))
	command.Arrange(root)
	command.NameProgram(root)
	f.Prepare(root)
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return command.UnknownCommand(c, args[0])
		}
		return c.Help()
	}
	return root
}

// Command returns the command tree of the binary.
func Command() *cobra.Command { return rootCommand(&command.Flags{}) }
