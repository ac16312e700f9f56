package runs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// Bounds on the runs of one process that the options leave to the default.
const (
	DefaultMaxRuns   = 256
	DefaultMaxQueued = 1024
)

// maxBeside is how many branches of workflows execute beside their calls. Further ones are
// left out, and logged.
const maxBeside = 256

// Options configure the runs of this process.
type Options struct {
	// Store opens what keeps the runs. It is called once, when the first run needs it.
	Store func() (RunStore, error)
	// Calls returns what the calls of a run reach; mode is run.DryRun, or "" for a
	// real run.
	Calls func(ctx context.Context, mode string) run.Caller
	// Compile compiles what a run ran, so that it can be resumed.
	Compile func(ctx context.Context, source run.Source) (*engine.Plan, *diag.Fault)
	// MaxReply returns how many tokens a reply of a model may have; nil bounds nothing.
	MaxReply func(model string) int
	// AsChecked returns, for a run that begins, what is called before its first call, and
	// again after a fault that may pass: it returns the fault of a plan that calls something
	// that is not what it was checked against. The key is that of the call that is about to
	// be made. Nil, of either, checks nothing.
	AsChecked func(plan *engine.Plan) func(ctx context.Context, key string) *diag.Fault
	// Kinds are the node types of the graphs; nil means the built-in ones.
	Kinds *engine.KindSet

	// CompileAlone compiles what a run ran without asking any server, so that it can be
	// looked at. Nil leaves what is not kept of a run as it is.
	CompileAlone func(ctx context.Context, source run.Source) (*engine.Plan, *diag.Fault)

	// Mask replaces secrets in JSON by what stays the same when they change. It may be nil.
	Mask func([]byte) []byte

	Limits    run.Limits // of a run that is started with none
	MaxRuns   int        // that execute at the same time; 0 means DefaultMaxRuns
	MaxQueued int        // that wait for their turn; 0 means DefaultMaxQueued
	// Project identifies the configuration. Each run is kept with it, and only runs of
	// the same project are recovered: none if it is "".
	Project string
	// Queue shares the processors among runs and other work; nil does not.
	Queue *admission.Queue
	// Pool is the memory for what runs keep until they end; nil has no bound.
	Pool *admission.Pool
	// Observer watches the runs.
	Observer Observer
	// MaxHeld is how long a call waits for an answer; 0 means DefaultMaxHeld.
	MaxHeld time.Duration

	Logger *slog.Logger     // nil logs nothing
	Tracer oteltrace.Tracer // makes a span of each run, node execution and call; nil makes none
}

// An Observer watches the runs of a process, which call its functions at the same time. They
// must be quick. Each may be nil.
type Observer struct {
	// Watch returns what is called with the events of a run that starts or continues, by its
	// branches at the same time; nil watches nothing.
	Watch func(id string) func(run.Notice)
	// Changed is called with the id of a run that has started, continues or has stopped.
	Changed func(id string)
	// Question is called with a copy of the record of a run when one of its calls waits for
	// the answer to a question.
	Question func(*run.Record)
	// Called is called after each call that a run has made.
	Called func(context.Context, CallReport)
	// Stopped is called when a run has stopped, before whoever waits for it knows. It must
	// leave the record as it is.
	Stopped func(*run.Record)
}

// Local executes runs in this process. It implements [Runner].
type Local struct {
	o     Options
	log   *slog.Logger
	open  func() (RunStore, error)
	slots *admission.Queue // one turn for each run that may execute

	beside chan struct{} // one for each branch of a workflow that executes beside its call

	life   context.Context //nolint:containedctx // of the runs without a caller that waits; ends with Close
	end    context.CancelCauseFunc
	halted chan struct{} // closed when calls may no longer return

	recovered atomic.Bool // the parked runs were resumed once

	mu       sync.Mutex
	active   map[string]*activeRun
	away     map[string]int // runs without a place, because they wait for a time or a person, by client
	allAway  int
	timeouts map[string]*time.Timer // by the id of a run with a question that has a time limit
	resuming map[string]bool        // by id: runs that are being resumed in the background; true if another attempt was asked for
	metrics  []Metrics              // replaced, never changed
	opened   RunStore               // nil until a run needs it
	closed   bool
	closing  sync.Once

	oneOrphan sync.Mutex     // held while runs whose process ended are resumed, one after the other
	work      sync.WaitGroup // the active runs, and what recovers or resumes others
}

var _ Runner = (*Local)(nil)

// activeRun is a run that executes.
type activeRun struct {
	values    detached // of the call that started it
	journal   runJournal
	caller    patientCaller
	id        string
	principal string
	context   context.Context //nolint:containedctx // the run's own, which outlasts the call that started it
	cancel    context.CancelCauseFunc
	work      admission.Work // what context derives from
	slot      admission.Turn
	keeper    keeper
	held      held
	alone     atomic.Bool   // no caller waits for it
	begun     chan struct{} // closed when the store knows it; nil for a run whose caller waits until it stops
	done      chan struct{} // closed when it has stopped; then what follows is set

	record *run.Record
	fault  *diag.Fault // instead of the record, if the program failed
}

// NewLocal returns a runner without runs.
func NewLocal(o Options) *Local {
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	if o.MaxQueued == 0 {
		o.MaxQueued = DefaultMaxQueued
	}
	if o.MaxHeld == 0 {
		o.MaxHeld = DefaultMaxHeld
	}
	l := &Local{o: o, log: o.Logger, slots: admission.New(admission.Options{Turns: o.MaxRuns, MaxWaiting: o.MaxQueued, Strict: true}), beside: make(chan struct{}, maxBeside), active: map[string]*activeRun{}, away: map[string]int{}, timeouts: map[string]*time.Timer{}, resuming: map[string]bool{}, halted: make(chan struct{})}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.life, l.end = context.WithCancelCause(context.Background())
	l.open = sync.OnceValues(l.openStore)
	return l
}

func (l *Local) openStore() (RunStore, error) {
	s, err := l.o.Store()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = s.Close()
		return nil, shuttingDown()
	}
	l.opened = s
	s.OnCancel(func(id string) { l.stop(id, Cancelled("patchbay runs cancel")) })
	s.OnReply(func(id, key string, answer json.RawMessage) {
		if a := l.find(id); a != nil {
			a.held.end(key, answer)
		}
	})
	return s, nil
}

// store returns what keeps the runs.
func (l *Local) store() (RunStore, *diag.Fault) {
	s, err := l.open()
	if err == nil {
		return s, nil
	}
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return nil, f
	}
	return nil, &diag.Fault{Code: diag.CodeJournalFailed, Message: err.Error(), Err: err, Hint: "start patchbay with --store memory, which keeps no runs"}
}

// Load implements [Runner].
func (l *Local) Load(actor run.Actor, id string) (*run.Record, *diag.Fault) {
	rec, fault := l.stored(actor, id)
	if fault == nil && rec.Unverified != nil {
		return nil, rec.Unverified
	}
	return rec, fault
}

// stored returns the record of a run, which may be unverified.
func (l *Local) stored(actor run.Actor, id string) (*run.Record, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	rec, err := store.Load(actor, id)
	if err != nil {
		return nil, storeFault(id, err)
	}
	return rec, nil
}

// Uses implements [Runner].
func (l *Local) Uses(f run.Filter) ([]run.Use, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	uses, err := store.Uses(f)
	if err != nil {
		return nil, storeFault("", err)
	}
	return uses, nil
}

// List implements [Runner].
func (l *Local) List(f run.Filter) ([]run.Summary, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	list, err := store.List(f)
	if err != nil {
		return nil, storeFault("", err)
	}
	return list, nil
}

// Version returns a text that is the same only as long as List returns the same. It is not known
// where the store cannot tell without reading its runs.
func (l *Local) Version() (version string, known bool) {
	store, fault := l.store()
	if counts, ok := store.(interface{ Version() (string, bool) }); ok && fault == nil {
		return counts.Version()
	}
	return "", false
}

// Prune implements [Runner].
func (l *Local) Prune(project string, before time.Time, maxBytes int64) (deleted int, fault *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return 0, fault
	}
	deleted, err := store.Prune(project, before, maxBytes)
	if err != nil {
		return deleted, storeFault("", err)
	}
	return deleted, nil
}

// Adopt implements [Runner].
func (l *Local) Adopt(from []string, to string) (adopted int, fault *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return 0, fault
	}
	adopted, err := store.Adopt(from, to)
	if err != nil {
		return adopted, storeFault("", err)
	}
	return adopted, nil
}
