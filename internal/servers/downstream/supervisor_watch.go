package downstream

import (
	"context"
	"slices"
	"time"
)

// watch follows a session to its end: it lists the tools again when they have
// changed, and notes why the session ended.
func (s *supervisor) watch(live *session) {
	for {
		var approval <-chan time.Time
		if s.pins != nil && len(s.pins.waiting()) > 0 {
			approval = time.After(s.hub.options.approvalWait)
		}
		select {
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

// approved reports whether a change that waited has been accepted, by whichever process.
func (s *supervisor) approved() bool {
	waiting := s.pins.waiting()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(waiting) < len(s.waits)
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
	tools, notes = s.admit(live, tools, notes)
	s.publish(tools, append(slices.Clip(live.loadNotes), notes...))
	s.save(tools)
	s.refreshOffer(ctx, live)
}
