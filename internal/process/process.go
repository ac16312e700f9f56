// Package process has what the services share: the configuration, the log, turns to compute, work in the background, and who is told of changes.
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
	mu       sync.Mutex // guards what follows
	offered  []func()   // called when what passes through a gateway may have changed
	changed  []func()   // called when the set of published tools changes
}

// processOptions are the parts of a process.
type Options struct {
	Log     *slog.Logger // nil logs nothing
	Project string
	Redact  func(json.RawMessage) json.RawMessage
	Memory  int64 // that all work may take, in bytes; 0 has no bound
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
