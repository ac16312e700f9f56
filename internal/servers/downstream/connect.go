package downstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
)

// legacy is the protocol spoken with servers that do not know server/discover.
const legacy = "2025-11-25"

// What bounds each later mode of one attempt to connect: a program that installs the
// server may begin anew.
const (
	retryTimeout   = 15 * time.Second
	installTimeout = 90 * time.Second
)

// installers are programs that may fetch a server before they start it.
var installers = []string{"npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman"}

// Installer returns the name of the program that may install a server before it starts
// it, "" for another command.
func Installer(command string) string {
	name := strings.TrimSuffix(filepath.Base(command), filepath.Ext(command))
	if slices.Contains(installers, name) {
		return name
	}
	return ""
}

func (s *Server) retryTimeout() time.Duration {
	if Installer(s.Command) != "" {
		return installTimeout
	}
	return retryTimeout
}

var errLate = errors.New("it did not answer")

// A dialMode is one way to connect to a server.
type dialMode struct {
	transport string
	pinned    bool          // to the legacy protocol
	probe     time.Duration // how long a stdio server may take over server/discover
}

// connect makes a session by the first mode that works, and lists its tools.
func (s *supervisor) connect() (*session, *diag.Fault) {
	if p := s.Problem; p != nil {
		f := s.faultf(diag.CodeServerFailed, "server %q cannot be started: %s", s.Name, strings.Replace(p.Message, fmt.Sprintf("server %q", s.Name), "it", 1))
		f.Hint = p.Hint
		return nil, f
	}
	s.mu.Lock()
	pinned := s.pinned
	s.mu.Unlock()
	var modes []dialMode
	switch s.Transport {
	case "stdio":
		modes = []dialMode{{"stdio", false, s.hub.options.probeWait}, {"stdio", true, 0}}
		if pinned {
			modes[0], modes[1] = modes[1], modes[0]
		}
	case "streamableHttp":
		modes = []dialMode{{"streamableHttp", false, 0}, {"streamableHttp", true, 0}}
	case "sse":
		modes = []dialMode{{"sse", true, 0}}
	case "in-process":
		modes = []dialMode{{"in-process", false, 0}}
	case "":
		modes = []dialMode{{"streamableHttp", false, 0}, {"streamableHttp", true, 0}, {"sse", true, 0}}
	default:
		f := s.faultf(diag.CodeServerFailed, "server %q has the unknown transport %q", s.Name, s.Transport)
		f.Hint = "use stdio, streamableHttp or sse"
		return nil, f
	}
	var first *diag.Fault
	firstLate := false
	for i := 0; i < len(modes); i++ {
		w := modes[i]
		timeout := s.StartTimeout
		if i > 0 {
			// What is slow the first time, such as an installation, is done by now.
			timeout = min(timeout, s.retryTimeout())
		}
		live, fault, again := s.open(w, timeout)
		if fault == nil {
			fault = s.refreshTools(live)
			if fault != nil {
				live.close()
				return nil, fault
			}
			return live, nil
		}
		if live != nil && live.pipe != nil && live.pipe.Modern() {
			// It knows server/discover, and nothing else, but was slow to say so.
			modes = append(modes[:i+1], dialMode{"stdio", false, s.retryTimeout()})
			again = true
		}
		late := live != nil && live.late
		if first == nil || i == len(modes)-1 && w.transport == "stdio" && (!late || !firstLate) {
			first, firstLate = fault, late // of two that were waited for, the first was given its whole time
		}
		if !again || s.hub.ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// open connects by one mode. The last result says whether another is worth
// trying. The session returned with a fault is closed.
func (s *supervisor) open(w dialMode, timeout time.Duration) (*session, *diag.Fault, bool) {
	live := &session{supervisor: s, began: time.Now(), changed: make(chan struct{}, 1), streamLost: make(chan struct{}, 1), over: make(chan struct{})}
	// Not the hub's context: when that ends, the server is still notified.
	live.ctx, live.cancel = context.WithCancel(context.Background())
	live.calls, live.cancelCalls = context.WithCancel(live.ctx)
	live.stopHook = context.AfterFunc(s.hub.ctx, live.end)
	transport, err := live.transport(w)
	if err != nil {
		live.abandon()
		f := s.faultf(diag.CodeServerFailed, "server %q cannot be started: %s", s.Name, plainError(err))
		f.Hint = "correct its entry in the configuration"
		if fault, ok := errors.AsType[*diag.Fault](err); ok && fault.Hint != "" {
			f.Hint = s.redact(fault.Hint)
		}
		if errors.Is(err, exec.ErrNotFound) {
			f.Hint = fmt.Sprintf("install %q, or correct command in the server's entry", s.Command)
		}
		return nil, f, false
	}
	s.mu.Lock()
	s.opening = live
	s.mu.Unlock()
	client := live.newClient()
	options := &mcp.ClientSessionOptions{}
	if w.pinned {
		options.ProtocolVersion = legacy
	}
	type answer struct {
		client *mcp.ClientSession
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		c, err := client.Connect(live.ctx, transport, options)
		answers <- answer{c, err}
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var exited chan struct{}
	if live.child != nil {
		exited = live.child.exited
	}
	var got answer
	late, answered := false, true
	select {
	case got = <-answers:
	case <-exited:
		// What it wrote before its end may still complete the handshake; without
		// an end of its output there would be nothing to wait for.
		select {
		case got = <-answers:
		case <-time.After(killGrace):
			answered = false
			got.err = errors.New("its process ended")
		}
	case <-timer.C:
		late, answered, live.late = true, false, true
		got.err = fmt.Errorf("%w initialize within %s", errLate, timeout)
	case <-s.hub.ctx.Done():
		answered = false
		got.err = s.hub.ctx.Err()
	}
	if got.err != nil {
		fault := live.startFault(got.err)
		live.abandon()
		if !answered {
			late := make(chan struct{})
			go func() {
				defer close(late)
				if a := <-answers; a.client != nil {
					_ = a.client.Close()
				}
			}()
			select {
			case <-late: // without its transport the handshake ends soon
			case <-time.After(killGrace): // but over HTTP it may try a few times more
			}
		}
		return live, fault, !late || w.transport == "stdio"
	}
	live.client = got.client
	if r := got.client.InitializeResult(); r != nil {
		live.protocol = r.ProtocolVersion
		if r.ServerInfo != nil {
			live.version = s.redact(r.ServerInfo.Version)
			live.software = diag.Cut(s.redact(strings.TrimSpace(r.ServerInfo.Name+" "+r.ServerInfo.Version)), 200)
		}
	}
	if w.transport == "stdio" {
		s.mu.Lock()
		s.pinned = w.pinned || live.protocol <= legacy
		s.mu.Unlock()
	}
	go func() {
		_ = got.client.Wait()
		live.end()
	}()
	return live, nil, false
}

// transport makes the SDK's transport for one mode, starting the child.
func (s *session) transport(w dialMode) (mcp.Transport, error) {
	switch w.transport {
	case "stdio":
		if s.Command == "" && s.Confine.Image == "" {
			return nil, errors.New("its entry has neither command nor url")
		}
		child, err := startProcess(&s.Server, s.hub.options.Ancestors, &s.hub.starter, &transport.LogFile{Path: s.hub.LogFile(s.Name), Redact: s.redact})
		if err != nil {
			return nil, err
		}
		s.child = child
		s.pipe = transport.NewStdio(child.in, child.out, w.probe, s.redact)
		return &transport.Tap{Transport: s.pipe, Calls: &s.followed}, nil
	case "in-process":
		server, err := s.loaded()
		if err != nil {
			return nil, err
		}
		ours, theirs := transport.NewMemory()
		if _, err := server.Connect(s.ctx, theirs, nil); err != nil {
			return nil, err
		}
		return &transport.Tap{Transport: ours, Calls: &s.followed}, nil
	}
	headers := map[string]string{}
	maps.Copy(headers, s.Headers)
	if above := s.hub.options.Ancestors; len(above) > 0 {
		headers[AncestorsHeader] = strings.Join(above, ",")
	}
	wire, err := transport.NewHTTP(s.ctx, s.URL, headers, &s.followed, func() {
		select {
		case s.streamLost <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, err
	}
	s.wire = wire
	client := &http.Client{Transport: wire}
	if w.transport == "sse" {
		return &transport.Tap{Transport: &mcp.SSEClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: transport.MaxMessage}, Calls: &s.followed}, nil
	}
	handler, err := s.authorization(s.ctx, s.learnTokens)
	if err != nil {
		return nil, err
	}
	return &mcp.StreamableClientTransport{OAuthHandler: handler, Endpoint: s.URL, HTTPClient: client, MaxEventSize: transport.MaxMessage, MaxRetries: 3}, nil
}

// loaded is the server of this process.
func (s *session) loaded() (*mcp.Server, error) {
	if s.Load == nil {
		return s.InProcess, nil
	}
	ctx, cancel := context.WithTimeout(s.calls, s.StartTimeout)
	defer cancel()
	server, notes, err := s.Load(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was not loaded within %s", s.StartTimeout)
	}
	s.loadNotes = notes
	return server, err
}

// refreshTools lists the tools of a new session and publishes them.
func (s *supervisor) refreshTools(live *session) *diag.Fault {
	ctx, cancel := context.WithTimeout(live.calls, s.StartTimeout)
	defer cancel()
	tools, notes, err := live.listWarm(ctx)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w tools/list within %s", errLate, s.StartTimeout)
		}
		return live.startFault(err)
	}
	s.take(live, tools, notes)
	if s.hub.options.Gateway {
		s.refreshOffer(ctx, live)
		s.hub.goWork(live.takeUp)
	}
	return nil
}
