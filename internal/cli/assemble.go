package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/egress"
	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/journal"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/internal/telemetry"
	"github.com/patchbay-mcp/patchbay/internal/workspace"
	"github.com/patchbay-mcp/patchbay/run"
)

// product is a Patchbay with what it stands on.
type product struct {
	*app.App
	config *config.Config
	hub    *downstream.Hub
	web    *egress.Client
	log    *slog.Logger
	traced func()        // sends the last spans
	loaded chan struct{} // closed when what is known at start is in the catalog
	closed sync.Once
}

// Close ends the product, whatever ended it: runs are parked first, so that no
// server that ends makes one fail, and the journal has them before it is closed.
func (p *product) Close() {
	p.closed.Do(func() {
		p.App.Close()
		p.hub.Close()
		p.web.Close()
		p.traced()
	})
}

// assemble reads the configuration and starts the downstream servers. Faults of
// the operator's files are printed, and end the program with exit code 1.
func (f *flags) assemble(ctx context.Context, stderr io.Writer) (*product, error) {
	if f.store != "" && f.store != "sqlite" && f.store != "memory" {
		return nil, &diag.Fault{Code: "usage", Path: "--store", Message: fmt.Sprintf("no store is called %q", f.store), Hint: "sqlite or memory"}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	cfg, found, err := config.Load(config.Options{Graphs: f.graphs, MCP: f.mcp, Servers: f.beside, File: f.config, Dir: dir, Environ: os.LookupEnv})
	f.redactor.Store(cfg.Redactor)
	if err != nil {
		return nil, err
	}
	for _, file := range cfg.Files {
		if (file.Diagnostics.HasErrors() || f.debug) && !f.examine {
			fmt.Fprint(stderr, file.Render())
		}
	}
	if found.HasErrors() && !f.examine {
		return nil, errFailed
	}
	if off := cfg.WorkspaceOff; off != nil && !f.examine {
		fmt.Fprintf(stderr, "patchbay: %s\n  hint: %s\n", off.Message, off.Hint)
	}
	log := f.logger(stderr)
	tracer, traced, err := telemetry.Tracing(ctx, version(), os.LookupEnv, stderr)
	if err != nil {
		return nil, err
	}
	p := &product{config: cfg, log: log, traced: traced, loaded: make(chan struct{})}
	cat := catalog.New()
	servers := f.servers(cfg, log)
	o := &downstream.Options{
		CacheDir: cfg.CacheDir, Logger: log, Redact: cfg.Redactor.Redact, Version: version(),
		OnTools: publishTo(cat),
	}
	if !f.serving {
		o.Wait, o.OnWait = patience, tellWaiting(stderr, servers)
	}
	p.hub = downstream.New(servers, o)
	p.web = egress.New(&egress.Options{
		Allow: cfg.Web.Allow, Private: cfg.Web.Private, Variables: cfg.Web.Variables, Timeout: cfg.Web.Timeout, MaxBytes: cfg.Web.MaxBytes,
		Redact: cfg.Redactor.Redact,
	})
	loadPacks(cfg.Packs, cat, log)
	var graphs *graphfiles.Graphs
	if cfg.GraphsDir != "" {
		if graphs, err = graphfiles.OpenGraphs(cfg.GraphsDir); err != nil {
			return nil, err
		}
	}
	var documents []*graph.Document
	for _, d := range cfg.Documents {
		documents = append(documents, d.Graph)
	}
	p.App = app.New(app.Options{
		Hub: p.hub, Web: p.web, Catalog: cat, Graphs: graphs, Documents: documents, ExposeMax: &cfg.ExposeMax, Logger: f.runLogger(stderr), ObserveIn: cfg.CacheDir, Redact: cfg.Redactor.RedactJSON, NoObserve: cfg.NoShapes, NoLost: cfg.NoSearches,
		Limits: run.Limits{
			MaxNodeExecutions: cfg.Limits.MaxNodeExecutions, MaxExecutionTime: cfg.Limits.MaxExecutionTime,
			MaxResultBytes: cfg.Limits.MaxResultBytes, MaxTraceBytes: cfg.Limits.MaxTraceBytes,
		},
		MaxRuns: cfg.Limits.MaxRuns, MaxQueued: cfg.Limits.MaxQueuedRuns, Store: f.runStore(cfg, log), Project: f.project(cfg, dir), Tracer: tracer,
	})
	if !f.examine && checkDocuments(stderr, documents) {
		p.hub.Close()
		return nil, errFailed
	}
	load := func() {
		defer close(p.loaded)
		if !f.offline {
			p.hub.Start(context.WithoutCancel(ctx)) // Close ends it, after the runs
		}
		p.Refresh()
	}
	if f.serving { // a client is greeted before a thousand tools are indexed
		go load()
	} else {
		load()
	}
	return p, nil
}

// runStore says how to open what keeps runs; nil keeps them in memory.
func (f *flags) runStore(cfg *config.Config, log *slog.Logger) func() (runs.RunStore, error) {
	if f.store == "memory" || f.store == "" && cfg.Runs.Memory || cfg.Runs.File == "" {
		return nil
	}
	return func() (runs.RunStore, error) {
		return journal.Open(cfg.Runs.File, &journal.Options{Redact: func(b []byte) []byte { return cfg.Redactor.RedactJSON(b) }, Logger: log})
	}
}

// project identifies the configuration that runs are made with: the file, else the
// working directory. A file that was not named serves every directory, and tools
// of the workspace act on its root, so these count as well.
func (f *flags) project(cfg *config.Config, dir string) string {
	var of []string
	if cfg.File != "" {
		of = append(of, cfg.File)
	}
	if f.config == "" || cfg.File == "" {
		of = append(of, dir)
	}
	if cfg.Workspace {
		of = append(of, cfg.Root)
	}
	h := sha256.New()
	for _, path := range of {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			path = resolved
		}
		fmt.Fprintf(h, "%s\x00", path)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// takeUp resumes the runs that an earlier process left, and deletes the old ones,
// in the background and as soon as what is known at start is loaded.
func (p *product) takeUp(ctx context.Context) {
	go func() {
		select {
		case <-p.loaded:
			p.recoverAndPrune(ctx)
		case <-ctx.Done():
		}
	}()
}

func (p *product) recoverAndPrune(ctx context.Context) {
	if !p.config.Runs.NoRecover {
		p.Recover()
	}
	var before time.Time // without a bound on their age
	if keep := p.config.Runs.Keep; keep > 0 {
		before = time.Now().Add(-keep)
	}
	if _, fault := p.Prune(ctx, before, p.config.Runs.KeepBytes); fault != nil {
		p.log.Warn("old runs cannot be deleted", "error", fault.Message)
	}
}

// loadPacks files the knowledge packs in a catalog. What is wrong in one is
// logged, and the rest of it is used: patchbay specs lint shows all of it.
func loadPacks(dirs []string, cat *catalog.Catalog, log *slog.Logger) {
	for _, dir := range dirs {
		pack, found, err := packs.LoadPack(dir)
		if err != nil {
			log.Warn("a knowledge pack cannot be read", "error", err)
			continue
		}
		if packs.HasErrors(found) {
			log.Warn("a knowledge pack has faults", "pack", pack.Name, "first", found[0].String(), "hint", "patchbay specs lint "+dir)
		}
		cat.Replace("pack:"+pack.Name, pack.Specs)
	}
}

// checkDocuments refuses documents that break a rule. What depends on downstream
// servers is left for later: they may be down.
func checkDocuments(stderr io.Writer, documents []*graph.Document) (refused bool) {
	for _, doc := range documents {
		_, found := engine.CompileAll(doc, engine.Env{})
		if found.HasErrors() {
			fmt.Fprint(stderr, diag.Format(doc.Name, doc.Src, found.With(diag.Error)))
			refused = true
		}
	}
	return refused
}

func (f *flags) logger(stderr io.Writer) *slog.Logger {
	level := slog.LevelError // a command that runs once says itself what went wrong
	switch {
	case f.debug:
		level = slog.LevelDebug
	case f.serving:
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
}

// runLogger logs also when a run of serve begins and ends.
func (f *flags) runLogger(stderr io.Writer) *slog.Logger {
	if f.serving && !f.debug {
		return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	return f.logger(stderr)
}

// servers are the downstream servers to start: the configured ones and the
// built-in workspace.
func (f *flags) servers(cfg *config.Config, log *slog.Logger) []downstream.Server {
	var list []downstream.Server
	for _, s := range cfg.Servers {
		if s.Disabled {
			continue
		}
		start := startLimit
		if s.URL != "" {
			start = 0 // the default: nothing is installed
		}
		list = append(list, downstream.Server{
			StartTimeout: start,
			Name:         s.Name, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Transport: string(s.Transport),
			Headers: s.Headers, Trusted: s.Trusted, Problem: s.Problem,
		})
	}
	if cfg.Workspace {
		server, err := workspace.New(cfg.Root)
		if err != nil {
			log.Warn("the workspace server cannot be offered", "root", cfg.Root, "error", err)
			return list
		}
		list = append(list, downstream.Server{Name: "workspace", InProcess: server, Trusted: true})
	}
	return list
}
