package command

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
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// WithApp is a command that has an App whose servers start when a node needs them.
func (f *Flags) WithApp(run func(*cobra.Command, *app.App, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		f.Offline = true
		p, err := f.OpenApp(cmd)
		if err != nil {
			return err
		}
		defer p.Close()
		return run(cmd, p, args)
	}
}

// OpenApp opens an App for a command.
func (f *Flags) OpenApp(cmd *cobra.Command) (*app.App, error) {
	return f.Open(cmd.Context(), cmd.ErrOrStderr())
}

// Open reads the configuration and opens an App over it, with its servers unless
// the command is offline. Faults of the operator's files are printed, and end the
// program with exit code 1. The caller closes the App.
func (f *Flags) Open(ctx context.Context, stderr io.Writer) (*app.App, error) {
	if f.Store != "" && f.Store != "sqlite" && f.Store != "memory" {
		return nil, Misuse("--store", fmt.Sprintf("unknown store %q", f.Store), "use sqlite or memory")
	}
	cfg, found, err := f.LoadConfig()
	f.Redactor.Store(cfg.Redactor)
	f.LogJSON = cfg.Log.JSON
	if err != nil {
		return nil, err
	}
	for _, file := range cfg.Files {
		if (file.Diagnostics.HasErrors() || f.Debug) && !f.Lenient {
			fmt.Fprint(stderr, file.Render())
		}
	}
	if found.HasErrors() && !f.Lenient {
		return nil, ErrFailed
	}
	if !f.Lenient {
		PrintLeftOut(stderr, append(cfg.Hidden, cfg.WorkspaceOff, cfg.Untrusted)...)
	}
	if err := f.replaceServer(cfg); err != nil {
		return nil, err
	}
	s := f.Setup
	s.Version, s.Log, s.RunLog, s.Stderr, s.Lenient = Version(), f.Logger(stderr), f.RunLogger(stderr), stderr, f.Lenient
	s.Lazy = f.Lazy
	s.Gateway = (f.LongRunning || f.Lenient) && (f.ExposeDownstream || cfg.Expose.Downstream)
	if !f.LongRunning {
		s.Wait = maxServerWait
		f.Waiting = NewWaiting(stderr, &f.Framed, cfg.Servers)
		if !f.Quiet {
			s.OnWait = f.Waiting.Report
		}
	}
	pb, err := app.Open(ctx, cfg, s)
	if invalid, ok := errors.AsType[*app.InvalidDocuments](err); ok {
		fmt.Fprint(stderr, hintLine.ReplaceAllStringFunc(invalid.Rendered, Words{Root: f.Root}.Text))
		return nil, ErrFailed
	}
	if err != nil {
		return nil, err
	}
	pb.LimitMemory()
	switch {
	case f.StartsLater:
	case f.LongRunning: // a client is greeted before a thousand tools are indexed
		go pb.Start(ctx)
	case !f.Offline:
		pb.Start(ctx)
	}
	return pb, nil
}

// PrintLeftOut says what of the configuration is left out, and why. Nil reasons are none.
func PrintLeftOut(stderr io.Writer, reasons ...*diag.Fault) {
	for _, f := range reasons {
		if f != nil {
			fmt.Fprintf(stderr, "patchbay: %s\n  hint: %s\n", f.Message, f.Hint)
		}
	}
}

// UnreadAbove says that the patchbay.yaml of a folder above is not read; "" without one, or
// the working directory has its own.
func (f *Flags) UnreadAbove() string {
	dir, err := filepath.Abs(".")
	if _, own := os.Stat(config.FileName); f.Config != "" || err != nil || own == nil {
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

// OfflineGiven is why no server is started with --offline.
const OfflineGiven = "--offline is given"

var codeOffline = diag.DefineFault("offline", diag.RefusesRequest, "`--offline` forbids to start or reach servers", "leave it out")

// LoadConfig reads the configuration that the flags name, with what was found wrong in it.
func (f *Flags) LoadConfig() (*config.Config, diag.List, error) {
	o := config.Options{Graphs: f.Graphs, MCP: f.MCP, Servers: f.ServerFiles, Checked: f.CheckedFiles, Trust: OwnTrust(), Packs: f.packPlaces(), File: f.Config, Store: f.Store, Secrets: f.Secrets}
	cfg, found, err := config.Load(o)
	if f.Never {
		for i := range cfg.Servers {
			cfg.Servers[i].Problem = cmp.Or(cfg.Servers[i].Problem, &diag.Fault{Code: codeOffline, Message: OfflineGiven})
		}
	}
	return cfg, found, err
}

// packPlaces are the places of the packs of --pack, in which the name of one in the
// program needs no prefix.
func (f *Flags) packPlaces() []string {
	places := slices.Clone(f.Packs)
	for i, name := range places {
		if slices.Contains(packs.Builtin(), name) {
			places[i] = packs.BuiltinPrefix + name
		}
	}
	return places
}

// Logger logs warnings to standard error; with --debug, all.
func (f *Flags) Logger(stderr io.Writer) *slog.Logger {
	level := slog.LevelError // a command that runs once says itself what went wrong
	switch {
	case f.Debug:
		level = slog.LevelDebug
	case f.LongRunning:
		level = slog.LevelWarn
	}
	return f.logAt(stderr, level)
}

// logAt returns a logger of the configured format.
func (f *Flags) logAt(stderr io.Writer, level slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if f.LogJSON {
		return slog.New(slog.NewJSONHandler(stderr, o))
	}
	return slog.New(slog.NewTextHandler(stderr, o))
}

// RunLogger logs also when a run of serve begins and ends.
func (f *Flags) RunLogger(stderr io.Writer) *slog.Logger {
	if f.LongRunning && !f.Debug {
		return f.logAt(stderr, slog.LevelInfo)
	}
	return f.Logger(stderr)
}

// CheckFiles takes @FILE for FILE in the flags of every command. The files of these are
// read again while the program runs, so standard input is not one.
func (f *Flags) CheckFiles() error {
	for _, list := range []struct {
		flag  string
		names []*string
	}{{"--graph", pointers(f.Graphs)}, {"--mcp", pointers(f.MCP)}, {"--config", []*string{&f.Config}}} {
		for _, name := range list.names {
			if *name = FileName(*name); *name == "-" {
				return Misuse(list.flag, "the file cannot be standard input", "write it to a file")
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

// replaceServer starts the server of --against by its command, and accepts its tools as they
// are.
func (f *Flags) replaceServer(cfg *config.Config) error {
	if f.Against == "" {
		return nil
	}
	name, command, _ := strings.Cut(f.Against, "=")
	words := strings.Fields(command)
	i := slices.IndexFunc(cfg.Servers, func(s config.Server) bool { return s.Name == name })
	switch {
	case len(words) == 0:
		return Misuse("--against", "it has no command", "write --against NAME=COMMAND")
	case i < 0:
		return Misuse("--against", fmt.Sprintf("unknown server %q", name), "patchbay mcp list shows the servers")
	}
	s := &cfg.Servers[i]
	s.Command, s.Args, s.URL, s.Headers, s.Transport, s.Trust, s.Problem, s.Disabled = words[0], words[1:], "", nil, config.Stdio, tooldef.TrustAuto, nil, false
	return nil
}

// OwnTrust is the operator's trust in files.
func OwnTrust() *config.Trust { return config.OpenTrust(os.LookupEnv) }

// Refused is the fault of a process that Patchbay has started and that may not serve.
func Refused(identity string) *diag.Fault {
	return downstream.ReadAncestors(os.Getenv(downstream.AncestorsVariable)).Refuse(identity)
}
