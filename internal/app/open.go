package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/workspace"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/internal/sys/telemetry"
	"github.com/patchbay-mcp/patchbay/run"
)

// startTimeout is how long the process of a server may take to answer: npx may
// have to install it first.
const startTimeout = 2 * time.Minute

// Setup is what an [App] is opened with in addition to its configuration. The zero Setup
// is usable.
type Setup struct {
	Version string              // of the program, sent to servers and in traces
	Program string              // the name of the program in help, hints and what clients start; "" is patchbay
	Servers []downstream.Server // in addition to the configured ones
	Kinds   *engine.KindSet     // the node types of graphs; nil means the built-in ones
	OnEvent func(run.Notice)    // called with the events of every run; it must be quick
	Log     *slog.Logger        // servers, packs and saved graphs; nil logs nothing
	RunLog  *slog.Logger        // runs; nil is Log
	Stderr  io.Writer           // where OTEL_TRACES_EXPORTER=console writes; nil discards

	// Runtime opens what executes runs for a configuration that names one; nil refuses such
	// a configuration.
	Runtime Runtime

	// Lazy says that a server whose tools are cached is started when something needs it.
	Lazy bool
	// Gateway says that what servers offer passes through to clients ([servers.Gateway.Offers]).
	Gateway bool

	// Lenient opens an App over documents with errors too, so that a command can
	// report everything that is wrong.
	Lenient bool

	// RecoverDelay is how long [App.ResumeRunsLater] waits; 0 is 3 s.
	RecoverDelay time.Duration

	Wait   time.Duration       // how long a call waits for a server that is starting; 0 is 5 s
	OnWait func(server string) // called when a call has waited for two seconds
}

// InvalidDocuments is the error of [Open] for documents that break a rule which
// does not depend on servers.
type InvalidDocuments struct {
	First    *diag.Diagnostic
	Rendered string // every error in its document, for people; it may hold secrets
}

// Error is the first message.
func (e *InvalidDocuments) Error() string { return "invalid graph document: " + e.First.Message }

// Open assembles an App from a configuration. No server is started before
// [plans.Downstream.Start]. The errors are an [*InvalidDocuments], and those of the environment:
// the folder of saved graphs or the tracing variables.
func Open(ctx context.Context, cfg *config.Config, s Setup) (*App, error) {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.RunLog = cmp.Or(s.RunLog, s.Log)
	if s.Stderr == nil {
		s.Stderr = io.Discard
	}
	documents, err := checkDocuments(cfg.Documents, s.Kinds, s.Lenient)
	if err != nil {
		return nil, err
	}
	var graphs *graphfiles.Graphs
	if cfg.GraphsDir != "" {
		if graphs, err = graphfiles.OpenGraphs(cfg.GraphsDir); err != nil {
			return nil, err
		}
		graphs.UseApprovals(graphfiles.Approvals{File: cfg.ApprovalsFile, Foreign: cfg.ForeignGraphs})
	}
	workflows, workflowFiles, err := openWorkflows(cfg, s.Kinds, s.Lenient)
	if err != nil {
		return nil, err
	}
	auditLog, err := execution.OpenAudit(cfg, s.Lenient)
	if err != nil {
		return nil, err
	}
	tracer, flush, err := telemetry.Tracing(ctx, s.Version, os.LookupEnv, s.Stderr)
	if err != nil {
		_ = auditLog.Close()
		return nil, err
	}
	runtime, err := newRuntime(cfg, s)
	if err != nil {
		_ = auditLog.Close()
		if flush != nil {
			flush()
		}
		return nil, err
	}
	cat := catalog.New()
	discover.Widen(cat, cfg, s.Log)
	loaded := loadPacks(cfg.Packs, cat, s.Log)
	memory := memoryLimit(cfg)
	var cases string
	if cfg.CacheDir != "" && !cfg.Runs.Memory {
		cases = filepath.Join(cfg.CacheDir, "cases")
	}
	requests := egress.New(&egress.Options{Policy: cfg.Egress, Redact: cfg.Redactor.Redact})
	app := New(Options{
		Denied: deniedBy(cfg), Calls: cfg.Calls, Permissions: cfg.PermissionsFile(), Servers: append(downstreamServers(cfg, requests, s.Version, s.Log), s.Servers...),
		Downstream: downstream.Options{
			CacheDir: cfg.CacheDir, PinDir: pinDir(cfg), Logger: s.Log, Redact: cfg.Redactor.Redact, Learn: learnTokens(cfg.Redactor), Version: s.Version, Ancestors: above().With(cfg.Identity), Wait: s.Wait, OnWait: s.OnWait, Gateway: s.Gateway, Lazy: s.Lazy,
		},
		Egress:  requests,
		Hooks:   around.HookOptions{ModulesDir: cfg.Hooks.ModulesDir, Secrets: cfg.Hooks.Secrets, Redact: cfg.Redactor.Redact},
		Catalog: cat, Graphs: graphs, GraphsOfAgents: cfg.GraphsOfAgents, Documents: documents, Workflows: workflows, WorkflowFiles: workflowFiles, Beside: cfg.Beside, ExposeMax: &cfg.ExposeMax, ExposePrefix: cfg.Expose.Prefix, Kinds: s.Kinds, OnEvent: s.OnEvent,
		Logger: s.RunLog, Tracer: tracer, SlowCall: cfg.Log.Slow, Audit: auditLog,
		ObserveIn: cfg.CacheDir, CasesIn: cases, Redact: cfg.Redactor.RedactJSON, Refer: cfg.Redactor.Refer, NoObserve: cfg.NoShapes, NoMissed: cfg.NoSearches,
		Limits: cfg.Limits.Limits, MaxRuns: cfg.Limits.MaxRuns, MaxQueued: cfg.Limits.MaxQueuedRuns, MaxHeld: cfg.Limits.MaxAnswerTime, Memory: memory.Bytes,
		Store: openStore(cfg, s.Log), Runtime: runtime, Project: cfg.Project,
	})
	app.lifecycle.setup, app.Execution.Memory, app.lifecycle.flush, app.RecoverDelay = s, memory, flush, cmp.Or(s.RecoverDelay, execution.RecoverDelay)
	app.Meaning = discover.NewEmbeddings(cfg, requests, s.Log)
	app.SetConfig(cfg)
	app.SetModels(cfg.Models)
	app.Links.Address = execution.LinkAddress(cfg.Serve)
	app.Packs.Set(loaded)
	return app, nil
}

// above are the Patchbays that have started this process.
func above() downstream.Ancestors {
	return downstream.ReadAncestors(os.Getenv(downstream.AncestorsVariable))
}

// learnTokens returns what has tokens of servers masked that come up while the program runs.
func learnTokens(r *secrets.Redactor) func(server string, tokens ...string) {
	return func(server string, tokens ...string) { r.Learn(secrets.Named(server+".login", tokens...)...) }
}

// pinDir is where pins of tools are kept: not in the cache, which may be deleted at any
// time.
func pinDir(cfg *config.Config) string {
	if cfg.StateDir == "" {
		return ""
	}
	return filepath.Join(cfg.StateDir, "pins")
}

// memoryLimit is how much memory the process may take.
func memoryLimit(cfg *config.Config) execution.Memory {
	bytes, why := telemetry.Memory(cfg.Limits.Memory)
	return execution.Memory{Bytes: bytes, From: why}
}

// Memory returns how much memory the process may take, which is known after [Open].
func (a *App) Memory() execution.Memory { return a.Execution.Memory }

// LimitMemory makes the memory limit of the configuration that of the process. It is for
// programs that do nothing else.
func (a *App) LimitMemory() { telemetry.LimitMemory(a.Execution.Memory.Bytes) }

// checkDocuments returns the graphs of documents. None breaks a rule unless
// lenient says so. What depends on servers is checked later: they may be down.
func checkDocuments(documents []*config.Document, kinds *engine.KindSet, lenient bool) ([]*graph.Document, error) {
	var graphs []*graph.Document
	var invalid InvalidDocuments
	for _, d := range documents {
		graphs = append(graphs, d.Graph)
		if lenient {
			continue
		}
		_, found := engine.CompileAll(d.Graph, engine.Env{Kinds: kinds})
		if found = found.With(diag.Error); len(found) > 0 {
			invalid.Rendered += diag.Format(d.Graph.Name, d.Graph.Src, found)
			if invalid.First == nil {
				invalid.First = found[0]
			}
		}
	}
	if invalid.First != nil {
		return nil, &invalid
	}
	return graphs, nil
}

// openWorkflows returns the workflows of a configuration. One with errors is an error
// unless lenient says otherwise: a program without it would let calls pass.
func openWorkflows(cfg *config.Config, kinds *engine.KindSet, lenient bool) ([]*graph.Document, *graphfiles.Graphs, error) {
	docs, err := checkDocuments(cfg.Workflows, kinds, lenient)
	if err != nil || cfg.WorkflowsDir == "" {
		return docs, nil, err
	}
	files, err := graphfiles.OpenGraphs(cfg.WorkflowsDir)
	if err != nil || lenient {
		return docs, files, err
	}
	list, broken := files.List()
	if len(broken) > 0 {
		return nil, nil, broken[0].Fault
	}
	inFiles := lists.Each(list, func(g *graphfiles.Graph) *config.Document { return &config.Document{Path: g.Path, Graph: g.Doc} })
	_, err = checkDocuments(inFiles, kinds, lenient)
	return docs, files, err
}

// openStore returns what opens the store of runs; nil keeps them in memory.
func openStore(cfg *config.Config, log *slog.Logger) func() (runs.RunStore, error) {
	if cfg.Runs.Memory || cfg.Runs.File == "" {
		return nil
	}
	return func() (runs.RunStore, error) {
		return execution.OpenJournal(cfg, cfg.Runs.File, log)
	}
}

// deniedBy is what a configuration denies, nil if that is nothing.
func deniedBy(cfg *config.Config) func(server, tool string) string {
	limited := func(s config.Server) bool { return len(s.Tools.Allow)+len(s.Tools.Deny) > 0 }
	if len(cfg.Expose.Deny)+len(cfg.Calls.Deny) == 0 && !slices.ContainsFunc(cfg.Servers, limited) {
		return nil
	}
	return cfg.Denied
}

// downstreamServers are the downstream servers of a configuration, in its order: those that are
// enabled, the APIs as servers of this process, and the built-in workspace.
func downstreamServers(cfg *config.Config, requests *egress.Client, version string, log *slog.Logger) []downstream.Server {
	list := []downstream.Server{}
	configured := slices.SortedFunc(slices.Values(cfg.Servers), func(a, b config.Server) int { return cmp.Compare(a.Order, b.Order) })
	for _, s := range configured {
		if s.Disabled {
			continue
		}
		start := startTimeout
		if s.URL != "" {
			start = 0 // the default: nothing is installed
		}
		timeSetting := ""
		if s.CallTimeout > 0 {
			timeSetting = fmt.Sprintf("callTimeoutMs of the server %s in %s", s.Name, s.From)
		}
		list = append(list, servers.WithAPI(downstream.Server{
			StartTimeout: start, CallTimeout: cmp.Or(s.CallTimeout, cfg.Limits.MaxCallTime), MaxCalls: cmp.Or(s.MaxCalls, cfg.Limits.MaxServerCalls), FixedTime: cfg.Limits.FixedCallTime, TimeSetting: timeSetting,
			Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Transport: transport(s),
			Headers: s.Headers, Auth: downstream.Auth(s.Auth), Confine: downstream.Confinement(s.Confine), Trust: s.Trust, Trusted: s.Trusted, Start: s.Start, Idle: s.Idle, Problem: s.Problem, Called: s.Called,
		}, s, cfg, requests, version))
	}
	if cfg.Workspace {
		server, err := workspace.New(cfg.Root)
		if err != nil {
			log.Warn("the workspace server cannot be offered", "root", cfg.Root, "error", err)
			return list
		}
		list = append(list, downstream.Server{Name: config.WorkspaceName, InProcess: server, Trusted: true})
	}
	return list
}

// transport is how a server is reached; "" tries streamable HTTP, then SSE.
func transport(s config.Server) string {
	if s.Transport == config.AnyHTTP {
		return ""
	}
	return string(s.Transport)
}
