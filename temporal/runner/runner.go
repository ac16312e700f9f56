// Package runner starts runs on Temporal, and finds, answers, resumes and cancels them
// there: the side of the client. It knows the client of Temporal and the messages of
// package wire, and nothing of how a worker executes a run. It implements [runs.Remote].
package runner

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/temporal/states"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Options are what a [Runner] is made of besides the options of runs.
type Options struct {
	Temporal config.Temporal
	// Storage keeps values that are too large for a history. The zero Storage keeps none.
	Storage converter.ExternalStorage
	// Converter writes what is sent; nil is the SDK's.
	Converter converter.DataConverter
	// Blobs tries the store of large values, and says where it is. Nil: there is none.
	Blobs func(ctx context.Context) (where string, err error)
	// TaskTimeout is how long a worker may compute for a run without a wait; 0 is the
	// service's default.
	TaskTimeout time.Duration
	// Work executes runs as a worker until ctx ends. It may be nil in a process that does not.
	Work func(ctx context.Context, c client.Client, t config.Temporal, o runs.Options, r runs.Role) error
}

// A Runner has the runs of a namespace. It is safe for concurrent use.
type Runner struct {
	o       runs.Options
	t       config.Temporal
	work    func(context.Context, client.Client, config.Temporal, runs.Options, runs.Role) error
	client  client.Client
	log     *slog.Logger
	state   *states.Store
	blobs   func(context.Context) (where string, err error)
	reads   converter.DataConverter
	patient time.Duration // TaskTimeout
	indexed func() bool   // whether the namespace knows the search attributes

	life      context.Context //nolint:containedctx // of what follows runs; ends with Close
	end       context.CancelFunc
	following sync.WaitGroup
}

var _ runs.Remote = (*Runner)(nil)

// Prepare returns what makes a Runner. Nothing is reached before the first run is asked
// for. An error says what is wrong with the settings.
func Prepare(o Options) (func(runs.Options) runs.Remote, error) {
	security, err := security(&o.Temporal)
	if err != nil {
		return nil, err
	}
	settings := client.Options{HostPort: o.Temporal.Address, Namespace: o.Temporal.Namespace, ExternalStorage: o.Storage}
	if o.Converter != nil {
		settings.DataConverter, settings.FailureConverter = o.Converter, wire.Failures(o.Converter)
	}
	settings.ConnectionOptions.TLS = security
	if o.Temporal.APIKey != "" {
		settings.Credentials = client.NewAPIKeyStaticCredentials(o.Temporal.APIKey)
	}
	return func(of runs.Options) runs.Remote {
		settings.Logger = log.NewStructuredLogger(logger(of.Logger))
		c, err := client.NewLazyClient(settings)
		if err != nil {
			c = unusable{err: err}
		}
		return New(c, o, of)
	}, nil
}

// New returns a Runner over a client, which it closes.
func New(c client.Client, o Options, of runs.Options) *Runner {
	r := &Runner{o: of, t: o.Temporal, work: o.Work, patient: o.TaskTimeout, blobs: o.Blobs, client: c, log: logger(of.Logger)}
	r.state = o.StateOf(c)
	r.life, r.end = context.WithCancel(context.Background())
	if r.reads = o.Converter; r.reads == nil {
		r.reads = converter.GetDefaultDataConverter()
	}
	r.indexed = sync.OnceValue(r.knowsAttributes)
	return r
}

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// security is how a connection is secured, nil for one in the clear.
func security(t *config.Temporal) (*tls.Config, error) {
	if !t.TLS.Enabled {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.TLS.Server}
	if t.TLS.CA != "" {
		b, err := os.ReadFile(t.TLS.CA)
		if err != nil {
			return nil, badFile("ca", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(b) {
			return nil, badFile("ca", errors.New("it has no certificates"))
		}
	}
	if t.TLS.Cert != "" || t.TLS.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.TLS.Cert, t.TLS.Key)
		if err != nil {
			return nil, badFile("cert", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func badFile(setting string, err error) *diag.Fault {
	f := diag.Faultf(runs.CodeBadRuntime, "runtime.temporal.tls.%s cannot be used: %w", setting, err)
	f.Path, f.Hint = "/runtime/temporal/tls/"+setting, "name a PEM file that this user can read"
	return f
}

// Work implements [runs.Remote].
func (r *Runner) Work(ctx context.Context, role runs.Role) error {
	if r.work == nil {
		return diag.Faultf(diag.CodeUsage, "this program has no worker")
	}
	if err := r.work(ctx, r.client, r.t, r.o, role); err != nil {
		return r.fault("", err)
	}
	return nil
}

// Recover implements [runs.Runner]: Temporal recovers runs by itself.
func (*Runner) Recover() {}

// InFlight implements [runs.Runner]: no run executes in this process.
func (*Runner) InFlight() (running, queued int) { return 0, 0 }

// RunningIDs implements [runs.Runner].
func (*Runner) RunningIDs() []string { return nil }

// AddMetrics implements [runs.Runner]. The runs are counted by Temporal.
func (*Runner) AddMetrics(runs.Metrics) {}

// Close implements [runs.Runner]. The runs continue.
func (r *Runner) Close(context.Context) {
	r.end()
	r.following.Wait()
	r.client.Close()
}

// unusable stands for a client that cannot be made.
type unusable struct {
	client.Client
	err error
}

// changed reports that a run has started, continues or has stopped.
func (r *Runner) changed(id string) {
	if r.o.Observer.Changed != nil {
		r.o.Observer.Changed(id)
	}
}
