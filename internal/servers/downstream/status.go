package downstream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Status says how one server is.
type Status struct {
	Name      string   `json:"name"`
	State     string   `json:"state"`            // starting, cached (starting, with tools known from before), idle (not started, with such tools), ready, failed
	Reason    string   `json:"reason,omitempty"` // why it failed
	Hint      string   `json:"hint,omitempty"`   // what to do, and the end of its stderr
	Tools     int      `json:"tools"`
	Transport string   `json:"transport"`
	Protocol  string   `json:"protocol,omitempty"` // version spoken, once connected
	Software  string   `json:"software,omitempty"` // name and version the server gives itself
	Notes     []string `json:"notes,omitempty"`    // what is wrong with its tools
	Junk      string   `json:"junk,omitempty"`     // what it wrote to stdout that is not MCP
	Confined  bool     `json:"confined,omitempty"` // it runs in a container or a sandbox
	Changed   int      `json:"changed,omitempty"`  // tools whose change waits for a person, in a list of servers

	Sessions int `json:"-"` // that this process has had with it
	Failures int `json:"-"` // attempts to start or reach it that failed, of this process
}

// called are the notes of a server; the first says that it has another name.
func (s *supervisor) called() []string {
	if s.Called == "" {
		return s.notes
	}
	return append([]string{fmt.Sprintf("its name in the file is %q, which cannot be used in the names of its tools", diag.Excerpt(s.Called))}, s.notes...)
}

func (s *supervisor) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Name: s.Name, Tools: len(s.tools), Transport: cmp.Or(s.Transport, "http"), Notes: s.called(), Sessions: s.sessions, Failures: s.failed}
	st.Confined = s.Confine.Confined()
	for _, t := range s.tools {
		if t.Note != "" {
			st.Notes = append(slices.Clip(st.Notes), fmt.Sprintf("tool %q: %s", t.Name, t.Note))
		}
	}
	switch {
	case s.live != nil && s.live.alive():
		st.State = "ready"
		st.Protocol, st.Software = s.live.protocol, s.live.software
		if s.live.pipe != nil {
			if stray := s.live.pipe.StrayOutput(); stray != "" {
				st.Junk = s.redact(stray)
			}
		}
	case s.fault != nil:
		st.State, st.Reason, st.Hint = "failed", s.fault.Message, s.fault.Hint
	case s.listed && s.attempt == nil && !s.queued:
		st.State = "idle"
	case s.listed:
		st.State = "cached"
	default:
		st.State = "starting"
	}
	return st
}
