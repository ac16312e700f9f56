package downstream

import (
	"context"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// watch follows a session to its end: it lists the tools again when they have
// changed, and notes why the session ended.
func (s *supervisor) watch(live *session) {
	for {
		var approval <-chan time.Time
		if s.pins != nil && len(s.pins.Waiting()) > 0 {
			approval = time.After(s.hub.options.approvalWait)
		}
		var warm <-chan time.Time
		if live.empties > 0 {
			warm = time.After(s.hub.options.warmDelay << (maxEmptyTries - live.empties))
		}
		var idle <-chan time.Time
		if s.Idle > 0 && live.child != nil && !s.hub.options.Gateway {
			idle = time.After(max(s.Idle-live.unused(), time.Millisecond))
		}
		select {
		case <-idle:
			if s.rest(live) {
				live.close()
				return
			}
		case <-warm:
			live.empties--
			s.relist(live)
		case <-approval:
			if s.approved() {
				s.relist(live)
			}
		case <-live.changed:
			select {
			case <-time.After(50 * time.Millisecond): // servers that add tools one by one tell of each
			case <-live.over:
			}
			s.relist(live)
		case <-live.over:
			if s.hub.ctx.Err() != nil {
				live.close()
				return
			}
			fault := live.exitFault()
			live.close()
			s.mu.Lock()
			current := s.live == live && !s.removed
			if current {
				s.live, s.fault = nil, fault
			}
			s.mu.Unlock()
			if !current {
				return // another has taken its place
			}
			s.hub.options.Logger.Warn("server has ended", "server", s.Name, "reason", fault.Message)
			if s.URL != "" {
				// It may be back soon, with other tools.
				delay := s.delay(live)
				s.hub.goWork(func() { s.later(delay) })
			}
			return
		case <-live.streamLost:
			// Its calls may continue, but changes of its tools are no longer reported: a
			// new session takes over.
			delay := s.delay(live)
			s.hub.goWork(func() { s.succeed(live, delay) })
		case <-s.hub.ctx.Done():
			live.close()
			return
		}
	}
}

// rest lets go of a session that no call has used for long, and reports whether it did. The
// next call begins another.
func (s *supervisor) rest(live *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != live || live.unused() < s.Idle {
		return false
	}
	s.live = nil
	s.hub.options.Logger.Info("server is idle, and is started again by the next call", "server", s.Name)
	return true
}

// approved reports whether a change that waited has been accepted, by whichever process.
func (s *supervisor) approved() bool {
	waiting := s.pins.Waiting()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(waiting) < s.pending
}

func (s *supervisor) relist(live *session) {
	ctx, cancel := context.WithTimeout(live.calls, s.StartTimeout)
	defer cancel()
	tools, notes, err := live.list(ctx)
	if err != nil {
		if live.alive() {
			s.hub.options.Logger.Warn("tools cannot be listed again", "server", s.Name, "error", s.redact(err.Error()))
		}
		return
	}
	s.take(live, tools, notes)
	s.refreshOffer(ctx, live)
}

// A server that is not warm yet answers tools/list with an error, which is waited for, or with
// an empty list, which counts for now if no tools are known. Both are asked for again after
// warmDelay, doubled each time, as often as these say.
const (
	warmDelay     = 500 * time.Millisecond
	maxErrorTries = 4
	maxEmptyTries = 7
)

// listWarm is list for a server that has just started.
func (s *session) listWarm(ctx context.Context) (tools []*tooldef.Tool, notes []string, err error) {
	for try := range maxErrorTries + 1 {
		tools, notes, err = s.list(ctx)
		if _, ok := answered(err); !ok || try == maxErrorTries {
			break
		}
		select {
		case <-time.After(s.hub.options.warmDelay << try):
		case <-ctx.Done():
			return tools, notes, err
		}
	}
	if r := s.client.InitializeResult(); len(tools) == 0 && s.Transport != "in-process" && r != nil && r.Capabilities != nil && r.Capabilities.Tools != nil {
		s.empties = maxEmptyTries
	}
	return tools, notes, err
}

// take makes what a server has listed its tools, but for an empty list of one that may not be
// warm yet.
func (s *supervisor) take(live *session, tools []*tooldef.Tool, notes []string) {
	if len(tools) > 0 {
		live.empties = 0
	}
	if live.empties > 0 {
		if notes = append(slices.Clip(notes), "its list of tools is empty so soon after its start; it is asked again"); len(s.hub.Tools(s.Name)) > 0 {
			return
		}
	}
	tools, notes = s.admit(live, tools, notes)
	s.publish(tools, append(slices.Clip(live.loadNotes), notes...))
	if live.empties == 0 {
		s.save(tools)
	}
}
