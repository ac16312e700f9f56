package downstream

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
)

// Failed starts are repeated after firstDelay, doubled each time up to
// maxDelay: by a call that comes after that time, and in the background too,
// where a command gets up to maxCommandTries of them.
const (
	firstDelay      = 500 * time.Millisecond
	maxDelay        = time.Minute
	maxCommandTries = 5
)

// maxStarts is how many servers are started at a time without being asked: each may be an
// installation.
const maxStarts = 4

// A supervisor keeps one server available.
type supervisor struct {
	Server
	hub    *Hub
	redact func(string) string
	cache  string        // file; empty: none
	pins   *tooldef.Pins // nil for a server in this process

	turns      *admission.Queue // of calls
	publishing sync.Mutex       // one list of tools at a time

	mu         sync.Mutex
	live       *session
	attempt    *attempt    // to connect, now
	opening    *session    // what that attempt has started, or an earlier one
	fault      *diag.Fault // of the last attempt, or why the last session ended
	failures   int         // failed attempts since the last good one
	notBefore  time.Time   // of the next attempt
	shortLived int         // sessions in a row that ended, or fell silent, soon after they began
	pinned     bool        // it does not know server/discover
	tools      []*tooldef.Tool
	lost       map[string]bool // tools that were listed and are not any more
	offer      Offer           // without tools
	offered    bool            // that has been listed
	listed     bool            // tools were published
	waits      map[string]bool // tools whose changes wait for a person, and that are not used until then
	pending    int             // changes that wait for a person, also of tools that are used
	queued     bool            // for a turn to be started
	sessions   int             // so far
	failed     int             // attempts so far
	notes      []string
	removed    bool // by [Hub.Apply]; gone is closed

	gone chan struct{}
}

type attempt struct {
	done  chan struct{}
	live  *session
	fault *diag.Fault
}

func newSupervisor(h *Hub, s Server) *supervisor {
	v := &supervisor{Server: s, hub: h, redact: h.options.Redact, gone: make(chan struct{}), turns: admission.New(admission.Options{Turns: s.MaxCalls, Strict: true})}
	if v.redact == nil {
		v.redact = func(text string) string { return text }
	}
	if h.options.CacheDir != "" && s.InProcess == nil {
		v.cache = filepath.Join(h.options.CacheDir, fileName(cacheFormat, &v.Server, v.redact)+".tools")
	}
	if s.InProcess == nil {
		v.pins = &tooldef.Pins{Pass: v.pass}
		if h.options.PinDir != "" {
			// Who defines another server under the same name, or starts it in another way, begins anew.
			v.pins.File = filepath.Join(h.options.PinDir, fileName(pinFormat, &v.Server, v.redact)+".json")
		}
	}
	return v
}

// lazy reports whether the server is started when something needs it, if its tools are
// cached. What is in this process is made at once.
func (s *supervisor) lazy() bool {
	o := &s.hub.options
	return s.InProcess == nil && s.Load == nil && (s.Start == StartLazy || s.Start == "" && o.Lazy && !o.Gateway)
}

// loadCache publishes the list of tools cached by an earlier process, and reports
// whether there is one.
func (s *supervisor) loadCache() bool {
	if s.cache == "" {
		return false
	}
	head, tools, err := readCache(s.cache, s.Trusted)
	if heard := s.hub.options.OnCache; heard != nil {
		heard(err == nil)
	}
	if err != nil {
		if !os.IsNotExist(err) {
			s.hub.options.Logger.Warn("cached tools are not usable", "server", s.Name, "error", err)
		}
		return false
	}
	for _, t := range tools {
		t.Server = s.Name
	}
	s.mu.Lock()
	s.pinned = head.Pinned
	s.mu.Unlock()
	s.publish(tools, nil)
	return true
}

// publish makes tools the server's list, and reports it if it has changed.
func (s *supervisor) publish(tools []*tooldef.Tool, notes []string) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	changed := !s.removed && (!s.listed || !slices.EqualFunc(s.tools, tools, func(a, b *tooldef.Tool) bool {
		return a.Name == b.Name && a.Hash == b.Hash && bytes.Equal(a.Raw, b.Raw)
	}))
	s.listed, s.notes = true, notes
	if changed {
		if s.lost == nil && len(s.tools) > 0 {
			s.lost = map[string]bool{}
		}
		for _, t := range s.tools {
			s.lost[t.Name] = true
		}
		for _, t := range tools {
			delete(s.lost, t.Name)
		}
		s.tools = tools
	}
	s.mu.Unlock()
	if changed && s.hub.options.OnTools != nil {
		s.hub.options.OnTools(s.Name, tools)
	}
}

// admit leaves the tools out whose definitions have changed without leave. Without its
// pins a server has no tools: who can damage them could else change tools unseen.
func (s *supervisor) admit(live *session, tools []*tooldef.Tool, notes []string) ([]*tooldef.Tool, []string) {
	if s.pins == nil {
		return tools, notes
	}
	admitted, said, err := s.pins.Admit(s.Name, s.Trust, live.version, tools, time.Now())
	if err != nil {
		said = append(said, s.redact(err.Error()))
	}
	for _, line := range said {
		s.hub.options.Logger.Warn(line, "server", s.Name)
	}
	waits, waiting := map[string]bool{}, s.pins.Waiting()
	for _, name := range waiting {
		if slices.ContainsFunc(admitted, func(t *tooldef.Tool) bool { return t.Name == name }) {
			continue
		}
		waits[name] = true
		notes = append(slices.Clip(notes), fmt.Sprintf("tool %q %s: patchbay mcp info %s %s shows how", name, tooldef.NotUsed, s.Name, name))
	}
	if err != nil {
		notes = append(slices.Clip(notes), s.redact(err.Error()))
	}
	s.mu.Lock()
	s.waits, s.pending = waits, len(waiting)
	s.mu.Unlock()
	return admitted, notes
}

// pass returns the tool as it is used in spite of a change, and what has changed.
func (s *supervisor) pass(pin *tooldef.Pin) (*tooldef.Tool, string) {
	if s.hub.options.Pass == nil || s.Trust == tooldef.TrustStrict {
		return nil, ""
	}
	definition, what := s.hub.options.Pass(s.Name, pin.Definition, pin.Pending.Definition)
	if definition == nil {
		return nil, ""
	}
	t, err := tooldef.Read(s.Name, definition, s.Trusted)
	if err != nil {
		return nil, ""
	}
	t.Definition = nil
	if s.hub.options.Gateway {
		t.Raw = definition
	}
	return t, what
}

// save writes the list to the cache.
func (s *supervisor) save(tools []*tooldef.Tool) {
	if s.cache == "" {
		return
	}
	s.mu.Lock()
	head := cachedServer{Server: s.Name, Pinned: s.pinned}
	s.mu.Unlock()
	if err := writeCache(s.cache, head, tools); err != nil {
		s.hub.options.Logger.Warn("tools are not cached", "server", s.Name, "error", s.redact(err.Error()))
	}
}

// begin returns the attempt in progress, or a new one. s.mu is held.
func (s *supervisor) begin() *attempt {
	if s.attempt != nil {
		return s.attempt
	}
	a := &attempt{done: make(chan struct{})}
	if s.removed {
		a.fault = removedFault(s.Name)
		close(a.done)
		return a
	}
	s.attempt = a
	ok := s.hub.goWork(func() { s.try(a) })
	if !ok {
		s.attempt = nil
		a.fault = diag.Faultf(diag.CodeServerFailed, "server %q is not started: Patchbay is shutting down", s.Name)
		close(a.done)
	}
	return a
}

// connectInBackground begins an attempt and returns what is closed at its end.
func (s *supervisor) connectInBackground() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil && s.live.alive() {
		done := make(chan struct{})
		close(done)
		return done
	}
	return s.begin().done
}

// try makes one attempt to connect and list the tools.
func (s *supervisor) try(a *attempt) {
	began := time.Now()
	live, fault := s.connect()
	log := s.hub.options.Logger.With("server", s.Name, "took", time.Since(began).Round(time.Millisecond))
	s.mu.Lock()
	s.attempt = nil
	if s.removed && fault == nil {
		s.mu.Unlock()
		a.fault = removedFault(s.Name)
		close(a.done)
		live.close()
		return
	}
	a.live, a.fault = live, fault
	before := s.live // retired also when it cannot be replaced: its server does not answer
	s.live = live
	if fault == nil {
		s.fault, s.failures = nil, 0
		s.sessions++
	} else {
		s.fault = fault
		s.failures++
		s.failed++
		delay := jittered(min(firstDelay<<min(s.failures-1, 10), maxDelay))
		s.notBefore = time.Now().Add(delay)
		if s.hub.ctx.Err() == nil && !s.removed && (s.URL != "" || s.Load != nil || s.failures < maxCommandTries) {
			s.hub.goWork(func() { s.later(delay) })
		}
	}
	s.mu.Unlock()
	close(a.done)
	if before != nil {
		before.retire()
	}
	if fault != nil {
		if s.hub.ctx.Err() == nil {
			log.Warn("server failed to start", "reason", fault.Message)
		}
		return
	}
	log.Info("server is ready", "tools", len(s.hub.Tools(s.Name)))
	if !s.hub.goWork(func() { s.watch(live) }) {
		live.close()
		return
	}
	if s.hub.options.OnReady != nil {
		s.hub.options.OnReady(s.Name)
	}
}

// faultf returns a fault without secrets.
func (s *supervisor) faultf(code, format string, args ...any) *diag.Fault {
	return &diag.Fault{Code: code, Message: diag.Cut(s.redact(fmt.Sprintf(format, args...)), 3000)}
}
