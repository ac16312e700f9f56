package patchbay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// Options say what an [App] is made of. The zero Options are usable: the App then
// knows the built-in node types, has no tools, and keeps nothing on disk.
type Options struct {
	// Document is the path of a graph document: its tools can be called, and the
	// servers under its mcpServers are started.
	Document string
	// Config is the path of a patchbay.yaml. Without one no file is looked for: no
	// graphs can be saved, runs are kept in memory, and there is no workspace server.
	Config string
	// Servers are MCP servers whose tools graphs may call, by name, in addition to those of
	// Document and Config.
	Servers map[string]Server
	// Store is the path of the journal, an SQLite file that keeps runs. Without one runs are
	// kept as Config says, and in memory without Config.
	Store string
	// StoreKey is the key by which the journal recognises the runs that this program wrote, of
	// at least 32 characters. Without one it is in the user's state folder.
	StoreKey string
	// Project is the name of the project that runs belong to: [App.Runs], [App.PruneRuns]
	// and [App.ResumeRun] are about the runs of their own project. Without one it is
	// what Config says, and without Config it follows from the working directory.
	Project string
	// OnEvent is called with the events of every run, by branches and runs at the same time.
	// It must be quick.
	OnEvent func(Event)
	// Log receives problems other than those of calls, which return them; nil discards it.
	Log *slog.Logger

	// Kinds are node types in addition to the built-in ones.
	Kinds []engine.Kind
	// Functions are JSONata functions in addition to the built-in ones. They belong to the
	// process: names can be added before its first expression is compiled, so give
	// them to the first Open. Package expr says what they can take.
	Functions []expr.Function
	// Sources are tool sources in this process, by the name that mcp nodes use as
	// their server. Their annotations are trusted.
	Sources map[string]*mcp.Server
}

// A Server is an MCP server outside this process: a command, or a URL.
type Server struct {
	Command string
	Args    []string
	Env     map[string]string // in addition to PATH, HOME and the few other variables that a server inherits; their values are masked like variables in a configuration
	Dir     string            // where the command is started; "" is the working directory

	URL     string            // of streamable HTTP or SSE
	Headers map[string]string // their values are masked as secrets

	Trusted bool // believe what the server says of its tools: read-only, idempotent
}

// Open returns an App whose servers are started. It waits for those that the
// process has itself; a call of a tool waits for the others.
func Open(ctx context.Context, o Options) (*App, error) {
	setup, err := o.setup()
	if err != nil {
		return nil, err
	}
	c := config.Options{File: o.Config, Standalone: o.Config == "", RunsFile: o.Store, RunsKey: o.StoreKey, Project: o.Project, Environ: os.LookupEnv, Secrets: o.secrets()}
	if o.Document != "" {
		c.Graphs = []string{o.Document}
	}
	cfg, found, err := config.Load(c)
	if err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return nil, fileError(cfg.Files)
	}
	a, err := app.Open(ctx, cfg, setup)
	if err != nil {
		return nil, err
	}
	a.Start(ctx)
	return &App{a}, nil
}

// setup is the part of the options that is not in files. It adds the functions.
func (o *Options) setup() (app.Setup, error) {
	s := app.Setup{Log: o.Log, OnEvent: o.OnEvent}
	if err := expr.AddFunctions(o.Functions...); err != nil {
		return s, err
	}
	kinds, err := engine.Extend(o.Kinds...)
	if err != nil {
		return s, err
	}
	s.Kinds = kinds
	for _, name := range slices.Sorted(maps.Keys(o.Servers)) {
		v := o.Servers[name]
		s.Servers = append(s.Servers, downstream.Server{
			Name: name, Command: v.Command, Args: v.Args, Env: v.Env, Cwd: v.Dir, URL: v.URL, Headers: v.Headers, Trusted: v.Trusted,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Sources)) {
		if _, taken := o.Servers[name]; taken {
			return s, fmt.Errorf("%q is the name of both a server and a tool source", name)
		}
		s.Servers = append(s.Servers, downstream.Server{Name: name, InProcess: o.Sources[name], Trusted: true})
	}
	return s, nil
}

// secrets are the values of the options that are masked where data leaves.
func (o *Options) secrets() []secrets.Secret {
	var list []secrets.Secret
	for server, s := range o.Servers {
		for name, value := range s.Headers {
			list = append(list, secrets.Named(server+".headers."+name, secrets.HeaderSecrets(name, value)...)...)
		}
		for name, value := range s.Env {
			list = append(list, secrets.Named(server+".env."+name, secrets.ValueSecrets(value, name)...)...)
		}
		list = append(list, secrets.Named(server+".url", secrets.URLSecrets(s.URL)...)...)
	}
	return list
}

// fileError is the first error of the files that were read, with its place.
func fileError(files []*config.File) error {
	for _, f := range files {
		if bad := f.Diagnostics.With(diag.Error); len(bad) > 0 {
			return fmt.Errorf("%s:%d: %s [%s]", f.Path, bad[0].Range.Start.Line, bad[0].Message, bad[0].Code)
		}
	}
	return errors.New("the configuration has errors")
}

// An Event is one thing that happened in a run: a node started, completed or failed, or the
// run paused, resumed or ended. As JSON it is what the web UI and patchbay runs logs show.
type Event = run.Notice

// The types of events.
const (
	NodeStarted   = run.NodeStarted
	NodeCompleted = run.NodeCompleted
	NodeFailed    = run.NodeFailed
	RunPaused     = run.RunPaused
	RunResumed    = run.RunResumed
	RunEnded      = run.RunEnded
)
