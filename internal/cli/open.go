package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/packs"
)

// withApp is a command that has an App whose servers start when a node needs them.
func (f *flags) withApp(run func(*cobra.Command, *app.App, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		f.offline = true
		p, err := f.openApp(cmd)
		if err != nil {
			return err
		}
		defer p.Close()
		return run(cmd, p, args)
	}
}

// openApp opens an App for a command.
func (f *flags) openApp(cmd *cobra.Command) (*app.App, error) {
	return f.open(cmd.Context(), cmd.ErrOrStderr())
}

// open reads the configuration and opens an App over it, with its servers unless
// the command is offline. Faults of the operator's files are printed, and end the
// program with exit code 1. The caller closes the App.
func (f *flags) open(ctx context.Context, stderr io.Writer) (*app.App, error) {
	if f.store != "" && f.store != "sqlite" && f.store != "memory" {
		return nil, misuse("--store", fmt.Sprintf("unknown store %q", f.store), "use sqlite or memory")
	}
	cfg, found, err := f.loadConfig()
	f.redactor.Store(cfg.Redactor)
	f.logJSON = cfg.Log.JSON
	if err != nil {
		return nil, err
	}
	for _, file := range cfg.Files {
		if (file.Diagnostics.HasErrors() || f.debug) && !f.lenient {
			fmt.Fprint(stderr, file.Render())
		}
	}
	if found.HasErrors() && !f.lenient {
		return nil, errFailed
	}
	if !f.lenient {
		printLeftOut(stderr, append(cfg.Hidden, cfg.WorkspaceOff, cfg.Untrusted)...)
	}
	if err := f.replaceServer(cfg); err != nil {
		return nil, err
	}
	s := f.setup
	s.Version, s.Log, s.RunLog, s.Stderr, s.Lenient = version(), f.logger(stderr), f.runLogger(stderr), stderr, f.lenient
	s.Lazy = f.lazy
	s.Gateway = (f.longRunning || f.lenient) && (f.exposeDownstream || cfg.Expose.Downstream)
	if !f.longRunning {
		s.Wait = maxServerWait
		f.waiting = newWaiting(stderr, &f.framed, cfg.Servers)
		if !f.quiet {
			s.OnWait = f.waiting.report
		}
	}
	pb, err := app.Open(ctx, cfg, s)
	if invalid, ok := errors.AsType[*app.InvalidDocuments](err); ok {
		fmt.Fprint(stderr, hintLine.ReplaceAllStringFunc(invalid.Rendered, commandWords{root: f.root}.text))
		return nil, errFailed
	}
	if err != nil {
		return nil, err
	}
	pb.LimitMemory()
	switch {
	case f.startsLater:
	case f.longRunning: // a client is greeted before a thousand tools are indexed
		go pb.Start(ctx)
	case !f.offline:
		pb.Start(ctx)
	}
	return pb, nil
}

// printLeftOut says what of the configuration is left out, and why. Nil reasons are none.
func printLeftOut(stderr io.Writer, reasons ...*diag.Fault) {
	for _, f := range reasons {
		if f != nil {
			fmt.Fprintf(stderr, "patchbay: %s\n  hint: %s\n", f.Message, f.Hint)
		}
	}
}

// unreadAbove says that the patchbay.yaml of a folder above is not read; "" without one, or
// the working directory has its own.
func (f *flags) unreadAbove() string {
	dir, err := filepath.Abs(".")
	if _, own := os.Stat(config.FileName); f.config != "" || err != nil || own == nil {
		return ""
	}
	for up := ".."; filepath.Dir(dir) != dir; up = filepath.Join(up, "..") {
		dir = filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, config.FileName)); err == nil {
			return fmt.Sprintf("%s is not read from here: cd %s, or --config %[1]s", filepath.Join(up, config.FileName), up)
		}
	}
	return ""
}

// offlineGiven is why no server is started with --offline.
const offlineGiven = "--offline is given"

var codeOffline = diag.DefineFault("offline", diag.RefusesRequest, "`--offline` forbids to start or reach servers", "leave it out")

func (f *flags) loadConfig() (*config.Config, diag.List, error) {
	o := config.Options{Graphs: f.graphs, MCP: f.mcp, Servers: f.serverFiles, Checked: f.checkedFiles, Trust: ownTrust(), Packs: f.packPlaces(), File: f.config, Store: f.store, Secrets: f.secrets}
	cfg, found, err := config.Load(o)
	if f.never {
		for i := range cfg.Servers {
			cfg.Servers[i].Problem = cmp.Or(cfg.Servers[i].Problem, &diag.Fault{Code: codeOffline, Message: offlineGiven})
		}
	}
	return cfg, found, err
}

// packPlaces are the places of the packs of --pack, in which the name of one in the
// program needs no prefix.
func (f *flags) packPlaces() []string {
	places := slices.Clone(f.packs)
	for i, name := range places {
		if slices.Contains(packs.Builtin(), name) {
			places[i] = packs.BuiltinPrefix + name
		}
	}
	return places
}

func (f *flags) logger(stderr io.Writer) *slog.Logger {
	level := slog.LevelError // a command that runs once says itself what went wrong
	switch {
	case f.debug:
		level = slog.LevelDebug
	case f.longRunning:
		level = slog.LevelWarn
	}
	return f.logAt(stderr, level)
}

// logAt returns a logger of the configured format.
func (f *flags) logAt(stderr io.Writer, level slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if f.logJSON {
		return slog.New(slog.NewJSONHandler(stderr, o))
	}
	return slog.New(slog.NewTextHandler(stderr, o))
}

// runLogger logs also when a run of serve begins and ends.
func (f *flags) runLogger(stderr io.Writer) *slog.Logger {
	if f.longRunning && !f.debug {
		return f.logAt(stderr, slog.LevelInfo)
	}
	return f.logger(stderr)
}

// checkFiles takes @FILE for FILE in the flags of every command. The files of these are
// read again while the program runs, so standard input is not one.
func (f *flags) checkFiles() error {
	for _, list := range []struct {
		flag  string
		names []*string
	}{{"--graph", pointers(f.graphs)}, {"--mcp", pointers(f.mcp)}, {"--config", []*string{&f.config}}} {
		for _, name := range list.names {
			if *name = fileName(*name); *name == "-" {
				return misuse(list.flag, "the file cannot be standard input", "write it to a file")
			}
		}
	}
	return nil
}

func pointers(list []string) []*string {
	at := make([]*string, len(list))
	for i := range list {
		at[i] = &list[i]
	}
	return at
}
