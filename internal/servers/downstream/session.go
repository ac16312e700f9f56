package downstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
)

// A session is one connection to a server, from its start to its end. It is
// never revived; the supervisor makes another.
type session struct {
	*supervisor
	client   *mcp.ClientSession
	protocol string
	software string // name and version
	version  string

	ctx         context.Context // of the session: all it carries ends with it
	cancel      context.CancelFunc
	calls       context.Context // of its calls, which end first
	cancelCalls context.CancelFunc
	stopHook    func() bool // from the hub, with which the calls end too
	began       time.Time
	changed     chan struct{} // notified: its tools have changed
	streamLost  chan struct{} // that notification stream has ended
	over        chan struct{} // the connection has ended, by whichever side
	ending      sync.Once

	child *process         // stdio only
	pipe  *transport.Stdio // stdio only
	wire  *transport.HTTP  // HTTP only

	loadNotes []string // of its [Load]
	late      bool     // it did not answer in time
	empties   int      // how often an empty list of tools is still asked for again

	followed transport.Calls // calls in progress
	passed   passing         // calls to which requests of the server can belong

	sendMethod mcp.MethodHandler // sends a request as it is

	using   sync.Mutex
	busy    int       // calls in progress
	used    time.Time // when the last one ended
	retired bool      // another session has taken over
}

// enter and leave enclose a call. A retired session ends with its last one.
func (s *session) enter() {
	s.using.Lock()
	s.busy++
	s.using.Unlock()
}

func (s *session) leave() {
	s.using.Lock()
	s.busy--
	s.used = time.Now()
	last := s.retired && s.busy == 0
	s.using.Unlock()
	if last {
		s.end()
	}
}

// unused is how long no call is in progress.
func (s *session) unused() time.Duration {
	s.using.Lock()
	defer s.using.Unlock()
	if s.busy > 0 {
		return 0
	}
	if s.used.IsZero() {
		return time.Since(s.began)
	}
	return time.Since(s.used)
}

func (s *session) retire() {
	s.enter()
	s.using.Lock()
	s.retired = true
	s.using.Unlock()
	s.leave()
}

func (s *session) alive() bool {
	select {
	case <-s.over:
		return false
	default:
		return true
	}
}

// end marks the connection as ended.
func (s *session) end() {
	s.ending.Do(func() {
		close(s.over)
		s.cancelCalls()
	})
}

// startFault is the fault of a server that could not be started or used, with the
// known reasons: its refusal, its exit status, its stderr.
func (s *session) startFault(err error) *diag.Fault {
	reason := plainError(err)
	hint := ""
	switch {
	case s.child != nil:
		wait := killGrace
		if errors.Is(err, context.Canceled) || errors.Is(err, errLate) {
			wait = 0
		}
		if state := s.child.ended(wait); state != "" {
			reason = "its process ended (" + state + ")"
		} else if errors.Is(err, context.Canceled) {
			reason = "it was stopped"
		}
		if stray := s.pipe.StrayOutput(); stray != "" {
			reason += "; " + stray
		}
		hint = s.stderr()
	case s.wire != nil:
		if refusal := s.wire.LastRefusal(); refusal != "" {
			reason = diag.Cut(s.redact(refusal), 300)
			if strings.HasPrefix(refusal, "HTTP 401") || strings.HasPrefix(refusal, "HTTP 403") {
				hint = s.authHint()
			}
		} else {
			reason = strings.ReplaceAll(reason, s.URL, address(s.URL))
		}
		reason = address(s.URL) + ": " + reason
	}
	if s.late {
		if lines := s.child.stderrLines(s.redact); len(lines) > 0 {
			reason += "; the last line of its stderr is: " + lines[len(lines)-1]
		}
	}
	f := s.faultf(diag.CodeServerFailed, "server %q failed to start: %s", s.Name, reason)
	f.Hint = hint
	return f
}

// authHint says what to do about a server that refuses who calls.
func (s *Server) authHint() string {
	if s.Headers["Authorization"] == "" && s.Auth.Grant == "" {
		return "patchbay mcp login " + s.Name + " logs in; or write headers or auth into its entry"
	}
	return "check headers and auth of its entry in the configuration"
}

// exitFault is the fault of a session that has ended.
func (s *session) exitFault() *diag.Fault {
	reason := "the connection was lost"
	if s.child != nil {
		reason = "it closed its output"
		if errors.Is(s.pipe.Failure(), transport.ErrTooLarge) {
			reason = transport.ErrTooLarge.Error()
		} else if state := s.child.ended(killGrace); state != "" {
			reason = "its process ended (" + state + ")"
		}
	}
	f := s.faultf(diag.CodeServerFailed, "server %q failed: %s", s.Name, reason)
	f.Hint = diag.JoinHints("the next call starts it again", s.stderr())
	return f
}

// stderr quotes the end of what a child wrote to stderr, or is "".
func (s *session) stderr() string {
	lines := s.child.stderrLines(s.redact)
	if len(lines) == 0 {
		return ""
	}
	return "its stderr ends:\n" + strings.Join(lines, "\n")
}

// close ends the session and returns when its child is gone.
func (s *session) close() {
	s.end()
	s.stopHook()
	if s.wire != nil && s.client != nil {
		// The server is notified that the session ends, which takes a request; its
		// other traffic does not outlast this.
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = s.client.Close()
		}()
		select {
		case <-done:
		case <-time.After(termGrace):
		}
		s.cancel()
		<-done
		s.wire.Base.CloseIdleConnections()
		return
	}
	s.abandon()
	if s.client != nil {
		_ = s.client.Close()
	}
}

// abandon ends what carries the session without the SDK's help.
func (s *session) abandon() {
	s.end()
	s.stopHook()
	s.cancel()
	if s.pipe != nil {
		_ = s.pipe.Close()
		s.child.stop()
	}
	if s.wire != nil {
		s.wire.Base.CloseIdleConnections()
	}
}

// codeUndelivered is how the SDK marks an error of its own: a message that did
// not reach the server.
const codeUndelivered = -32005

// answered returns the error that a server answered with, if err is one.
func answered(err error) (*jsonrpc.Error, bool) {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return e, ok && e.Code != codeUndelivered
}

// plainError is an error's text without the SDK's prefixes.
func plainError(err error) string {
	if e, ok := answered(err); ok {
		return fmt.Sprintf("it answered with the error %q (code %d)", e.Message, e.Code)
	}
	text := err.Error()
	for _, prefix := range []string{`calling "initialize": `, `sending "initialize": `, `calling "tools/list": `, `sending "tools/list": `, "rejected by transport: ", "connection closed: "} {
		text = strings.ReplaceAll(text, prefix, "")
	}
	return text
}
