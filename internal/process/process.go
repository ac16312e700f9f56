// Package process has what the services share: the configuration, the log, turns to compute,
// work in the background, and who is told of changes.
package process

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
)

// A Process is what the services share: the configuration, the log, turns, the work in the
// background, and who is told of changes. [New] returns one.
type Process struct {
	Log      *slog.Logger
	Project  string                                // whose runs are listed, deleted and resumed; "" is every project
	Redact   func(json.RawMessage) json.RawMessage // masks secrets in what is written; nil masks nothing
	config   atomic.Pointer[config.Config]
	CacheUse cacheUses
	Queue    *admission.Queue // what computes for long takes its turn
	Pool     *admission.Pool  // memory for what runs keep
	work     sync.WaitGroup   // in the background
	Working  context.Context  //nolint:containedctx // of that work
	started  sync.Once
	loaded   chan struct{} // closed when the servers have been started, or read from the cache, for the first time
	endWork  context.CancelFunc
	Features []Feature  // added while the services are made
	mu       sync.Mutex // guards what follows
	offered  []func()   // called when what passes through a gateway may have changed
	changed  []func()   // called when the set of published tools changes
}

// Options are the parts of a process.
type Options struct {
	Log     *slog.Logger // nil logs nothing
	Project string
	Redact  func(json.RawMessage) json.RawMessage
	Memory  int64 // that all work may take, in bytes; 0 has no bound
}

// A Feature is a part of the program that the services do without. What it does not have is nil.
type Feature struct {
	Refresh      func()               // follows changes of tools and saved graphs
	Reload       func(*config.Config) // takes over a changed configuration
	ChangesLists func() bool          // clients may be listed other tools than there are
	Report       func(metrics any)    // metrics are told of what it does, if they count that
	Close        func()
}

// New returns a Process.
func New(o Options) *Process {
	p := &Process{}
	p.Log, p.Project, p.Redact = o.Log, o.Project, o.Redact
	if o.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	p.config.Store(&config.Config{Runs: config.Runs{NoRecover: true}})
	p.Working, p.endWork = context.WithCancel(context.Background())
	p.loaded = make(chan struct{})
	p.Queue = admission.New(admission.Options{Bytes: o.Memory / 4 * workShare})
	p.Pool = admission.NewPool(o.Memory / 2)
	return p
}

// Config returns the configuration that was read last, by [Open] or for [app.App.Reload]; after
// [New] it is empty.
func (p *Process) Config() *config.Config { return p.config.Load() }

// SetConfig makes a configuration the one that was read last.
func (p *Process) SetConfig(c *config.Config) { p.config.Store(c) }

// OnPublished registers a function to call after the set of tools that
// the server offers has changed.
func (p *Process) OnPublished(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = append(p.changed, f)
}

// Announce calls what is registered with [Process.OnPublished].
func (p *Process) Announce() {
	p.mu.Lock()
	listeners := append([]func(){}, p.changed...)
	p.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}

// OnOffer registers a function to call after what [servers.Gateway.Offers] returns may have changed.
func (p *Process) OnOffer(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.offered = append(p.offered, f)
}

// AnnounceOffer calls what is registered with [Process.OnOffer].
func (p *Process) AnnounceOffer() {
	p.mu.Lock()
	listeners := append([]func(){}, p.offered...)
	p.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}

// Loaded is closed when the first [plans.Downstream.Start] has returned.
func (p *Process) Loaded() <-chan struct{} { return p.loaded }

// MarkLoaded closes [Process.Loaded].
func (p *Process) MarkLoaded() { p.started.Do(func() { close(p.loaded) }) }

// Background does work that Shutdown waits for, nothing after it.
func (p *Process) Background(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Working.Err() == nil {
		p.work.Go(f)
	}
}

// AwaitWork waits for the work in the background.
func (p *Process) AwaitWork() { p.work.Wait() }

// EndWork keeps work from being added, and tells that which is done to end.
func (p *Process) EndWork() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endWork()
}
