package downstream

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/search"
)

// TestTwentyServersBlockNothing: while twenty servers start, four at a time, what is there
// is found and called, and one that is called does not wait for its turn.
func TestTwentyServersBlockNothing(t *testing.T) {
	const many = 20
	n := takeNotes(t)
	servers := []Server{{Name: "own", InProcess: goServer("echo")}}
	for i := range many {
		s := fakeServer("late", n.env())
		s.Name, s.StartTimeout = fmt.Sprintf("late%d", i), time.Hour
		servers = append(servers, s)
	}
	c := catalog.New()
	h := startHub(t, &Options{Wait: time.Hour, OnTools: func(server string, tools []*tooldef.Tool) { c.Replace("server:"+server, tooldef.Specs(tools)) }}, servers...)
	for range maxStarts {
		n.next("started")
	}

	if res, err := h.CallTool(t.Context(), run.Call{Server: "own", Tool: "echo", Args: json.RawMessage(`{}`)}); err != nil || res.IsError {
		t.Errorf("a server that is there: %+v, %v", res, err)
	}
	if found, err := c.Snapshot().Search(t.Context(), search.Query{Text: "echo"}); err != nil || len(found.Hits) != 1 {
		t.Errorf("a search finds %+v, %v", found, err)
	}
	starting := 0
	var waiting string
	for _, s := range h.Status() {
		if s.State == "starting" {
			starting++
		}
		if v := h.named(s.Name); v.queuedNow() {
			waiting = s.Name
		}
	}
	if starting != many || waiting == "" {
		t.Errorf("%d servers are starting, %q waits for its turn", starting, waiting)
	}
	called := make(chan error, 1)
	go func() {
		_, err := h.CallTool(t.Context(), run.Call{Server: waiting, Tool: "echo", Args: json.RawMessage(`{"z":1}`)})
		called <- err
	}()
	n.next("started")
	n.release()
	for range many - maxStarts - 1 {
		n.next("started")
		n.release()
	}
	if err := <-called; err != nil {
		t.Error(err)
	}
	for _, s := range servers {
		if fault := h.Ready(t.Context(), s.Name); fault != nil {
			t.Error(fault)
		}
	}
	if all := c.Snapshot().Servers(); len(all) != many+1 {
		t.Errorf("the catalog has the servers %q", all)
	}
}

func (s *supervisor) queuedNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queued
}
