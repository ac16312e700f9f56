// Package downstream keeps sessions with other MCP servers: it starts or
// reaches them, lists their tools, calls them, and restarts those that
// failed. It turns a tool into a [specs.Spec]; it knows nothing of graphs or of
// the catalog, which receive tools through [Options.OnTools].
//
// It may import diag, specs, and engine for its interfaces.
package downstream

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/internal/sys/child"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// DefaultCallTimeout is how long one call of a server may take unless the operator
// says otherwise.
const DefaultCallTimeout = time.Minute

// DefaultMaxCalls is how many calls of one server are made at the same time unless the
// operator says otherwise.
const DefaultMaxCalls = 64

// Load returns a server of this process that takes time to make, and may fail, such as
// that of an API whose schema is fetched; and what [Status] says of it: what was left out or
// renamed. It is called when the server starts, and again after a failure. The error may
// be a [*diag.Fault] with a hint.
type Load func(context.Context) (*mcp.Server, []string, error)

// Options configure a [Hub]. The zero Options are usable.
type Options struct {
	CacheDir string       // where lists of tools are kept; empty: nowhere
	PinDir   string       // where is kept how tools were defined; empty: in memory
	Logger   *slog.Logger // nil: nothing is logged
	// Redact masks the operator's secrets in messages, in definitions of tools and in
	// what is cached. Results pass as they are: graphs compute with them. Nil masks
	// nothing.
	Redact func(string) string
	// Learn is called with each token that calls of a server are authorized with, before
	// it is sent: Redact is to mask it from then on. It may be nil.
	Learn func(server string, tokens ...string)
	// Pass returns the definition by which a tool is used whose definition has changed and
	// whose trust is [TrustPin], and what has changed; nil for a change that waits for a
	// person. It must not ask the hub for tools or pins. A nil Pass lets no change pass.
	Pass    func(server string, from, to json.RawMessage) (definition json.RawMessage, what string)
	Version string // of the program, sent to the servers
	// Ancestors are the Patchbays above the servers, this one included. They are told them.
	Ancestors Ancestors
	// OnTools is called with every list of tools that is new or has changed, one call
	// at a time per server. An empty list is one too. The list must not be
	// changed.
	OnTools func(server string, tools []*tooldef.Tool)
	// OnReady is called when a server can be called, after a start as after a restart.
	OnReady func(server string)
	// OnRemoved is called when [Hub.Apply] has removed a server.
	OnRemoved func(server string)

	// Lazy says that a command or a remote server whose tools are cached is started when
	// something needs it. With Gateway it says nothing: what servers offer is not cached.
	Lazy bool
	// Gateway says that what servers offer passes through to clients: their resources
	// and prompts are listed too, and they may ask clients for something during a call
	// that one makes ([WithClient]).
	Gateway bool
	// OnOffer is called when what a server offers is new or may have changed.
	OnOffer func()
	// OnCache is called when the cached tools of a server are wanted: hit says whether
	// there were any.
	OnCache func(hit bool)

	Wait time.Duration // how long a call or a check waits for a server that starts; 0 is the smaller of [DefaultWait] and the time of one call
	// OnWait is called when a call or a check has waited for a server for two
	// seconds and still waits.
	OnWait func(server string)

	probeWait    time.Duration
	approvalWait time.Duration // how often it is looked whether a change was approved
	warmDelay    time.Duration
	maxListBytes int // of all pages of a list together
}

// A Hub holds the sessions with all servers. It is an [engine.Caller]. It is
// safe for concurrent use.
type Hub struct {
	options Options
	servers atomic.Pointer[map[string]*supervisor] // never changed, but replaced by Apply
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	starter child.Starter

	applying sync.Mutex    // one change of the servers at a time
	starts   chan struct{} // holds a token for each server that is being started unasked

	mu     sync.Mutex
	closed bool
	order  []string          // of the servers, as they were given
	host   Host              // nil: no questions are answered
	level  mcp.LoggingLevel  // at which servers are to log; "" is the server's own
	follow map[[2]string]int // subscriptions, by server and URI
}

var _ run.Caller = (*Hub)(nil)

// New returns a hub for servers, none of them started. Of two with the same
// name the last counts.
func New(servers []Server, o *Options) *Hub {
	h := &Hub{starts: make(chan struct{}, maxStarts)}
	if o != nil {
		h.options = *o
	}
	if h.options.Logger == nil {
		h.options.Logger = slog.New(slog.DiscardHandler)
	}
	h.options.probeWait = cmp.Or(h.options.probeWait, transport.ProbeWait)
	h.options.maxListBytes = cmp.Or(h.options.maxListBytes, maxListBytes)
	h.options.warmDelay = cmp.Or(h.options.warmDelay, warmDelay)
	h.options.approvalWait = cmp.Or(h.options.approvalWait, 2*time.Second)
	h.ctx, h.cancel = context.WithCancel(context.Background())
	all := map[string]*supervisor{}
	for _, s := range servers {
		all[s.Name] = newSupervisor(h, s.complete())
	}
	h.servers.Store(&all)
	h.setOrder(servers)
	return h
}

// Start publishes the tools that earlier runs have cached and connects to the
// servers in this process, but to those with [Server.Load] only if no tools of theirs are
// cached, before it returns or two seconds have passed; the others are started or
// connected in the background, four at a time, or when something needs them
// ([Options.Lazy]). Without names that is done for all servers; those that are named are
// needed. The hub lives until [Hub.Close] or the end of ctx.
func (h *Hub) Start(ctx context.Context, names ...string) {
	context.AfterFunc(ctx, h.Close)
	var near []<-chan struct{}
	for _, name := range h.names() {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		s := h.named(name)
		if s == nil {
			continue // removed meanwhile
		}
		cached := s.loadCache()
		switch {
		case s.InProcess != nil || s.Load != nil && !cached:
			near = append(near, s.connectInBackground())
		case !cached || len(names) > 0 || !s.lazy():
			s.startInTurn()
		}
	}
	late := time.After(2 * time.Second)
	for _, done := range near {
		select {
		case <-done:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// LoadCached publishes the tools that earlier runs have cached, without starting or
// connecting to any server. It returns the servers without a cached list.
func (h *Hub) LoadCached() (missing []string) {
	for _, name := range h.names() {
		if s := h.named(name); s != nil && !s.loadCache() {
			missing = append(missing, name)
		}
	}
	return missing
}

// implementation is what the program calls itself.
func (h *Hub) implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: "patchbay", Version: h.options.Version}
}

func (h *Hub) names() []string { return slices.Sorted(maps.Keys(*h.servers.Load())) }

func (h *Hub) named(name string) *supervisor { return (*h.servers.Load())[name] }

// Canonical returns a name of a server, or SERVER/TOOL, with the name that the server has here in
// place of the one in its file. Any other text is returned as it is.
func (h *Hub) Canonical(name string) string {
	canonical, longest := name, 0
	for _, s := range *h.servers.Load() {
		rest, ok := strings.CutPrefix(name, s.Called)
		if ok && len(s.Called) > longest && (rest == "" || rest[0] == '/') {
			canonical, longest = s.Name+rest, len(s.Called)
		}
	}
	return canonical
}

// server finds a server by name; the fault suggests what was meant.
func (h *Hub) server(name string) (*supervisor, *diag.Fault) {
	if s := h.named(name); s != nil {
		return s, nil
	}
	return nil, UnknownServer(name, h.names())
}

const noServerReady = "no downstream server is ready; patchbay doctor shows why"

// UnknownServer is the fault of a name that no server has. It suggests what
// was meant.
func UnknownServer(name string, servers []string) *diag.Fault {
	f := diag.Faultf(diag.CodeUnknownServer, "there is no server %q", name)
	f.Got = name
	f.Suggestions = diag.Closer(name, servers, 3)
	f.Hint = "the servers are " + diag.OneOf(servers, 12)
	if len(servers) == 0 {
		f.Hint = noServerReady
	}
	return f
}

// Ready waits up to [Options.Wait] for a server that is starting. It returns nil
// when the server can be called, else the fault unknown-server,
// server-starting, server-failed (a failed server is started again when its
// turn has come) or cancelled.
func (h *Hub) Ready(ctx context.Context, server string) *diag.Fault {
	s, fault := h.server(server)
	if fault != nil {
		return fault
	}
	_, fault = s.session(ctx)
	return fault
}

// Tools returns a server's tools in its own order: its live list, or before
// there is one the list that was cached. It never waits. The list must not be
// changed.
func (h *Hub) Tools(server string) []*tooldef.Tool {
	s := h.named(server)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// Status says how each server is, sorted by name.
func (h *Hub) Status() []Status {
	servers := *h.servers.Load()
	return lists.Each(slices.Sorted(maps.Keys(servers)), func(name string) Status { return servers[name].status() })
}

// Close ends all sessions: children notice by the end of their input, and
// those that do not exit are killed with all they started. It returns when they
// are gone, within two seconds. The hub cannot be started again.
func (h *Hub) Close() {
	h.mu.Lock()
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if !closed {
		h.cancel()
	}
	h.work.Wait()
	if !closed {
		h.starter.Stop()
	}
}

// goWork runs f in the background until the hub is closed; it reports false
// when the hub is closed already.
func (h *Hub) goWork(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.work.Go(f)
	return true
}

// LogFile returns where the stderr of a server is kept, "" if it is kept nowhere.
func (h *Hub) LogFile(server string) string {
	s := h.named(server)
	if s == nil || s.cache == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(s.cache), "logs", strings.TrimSuffix(filepath.Base(s.cache), ".tools")+".log")
}
