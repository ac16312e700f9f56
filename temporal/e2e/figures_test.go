package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var measured = flag.Int("e2e.runs", 0, "measure the runtimes with this number of runs of a small graph, and a tenth of it of a chain of calls")

const small = `name: small
inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: more}
  - {id: more, type: transform, transform: {expr: '{"n": $.entry.n + 1}'}, next: exit}
  - {id: exit, type: exit, result: {expr: $.more}}
`

// How much is measured at a time.
const (
	clients = 16 // runs of the small graph in progress
	chain   = 50 // calls of a run of the chain
)

// TestFigures measures the embedded runtime, one worker and two workers, in turn.
func TestFigures(t *testing.T) {
	if *measured == 0 {
		t.Skip("-e2e.runs=1000 measures it")
	}
	for _, m := range []struct {
		runtime string
		workers int
	}{{"embedded, one process", 0}, {"a test server of Temporal, 1 worker", 1}, {"a test server of Temporal, 2 workers", 2}} {
		s := newSite(t, loop)
		if m.workers == 0 {
			s.embed()
		}
		for range m.workers {
			s.work()
		}
		serve := s.serve()
		for range 3 {
			serve.run(t, small, 1)
			serve.run(t, loop, 2)
		}
		perSecond := serve.perSecond(t, *measured)
		perCall := serve.perCall(t, max(3, *measured/10))
		figures.record(m.runtime, fmt.Sprintf("%.0f", perSecond), fmt.Sprintf("%.1f", perCall))
		for i := range s.workers {
			s.kill(i)
		}
	}
}

// A serving is a process of patchbay serve, and a client of it.
type serving struct{ session *mcp.ClientSession }

func (s *site) serve() *serving {
	s.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := c.Connect(context.Background(), &mcp.CommandTransport{Command: s.command("serve")}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return &serving{session}
}

// run executes a graph with the argument n, and returns when it has succeeded.
func (s *serving) run(t *testing.T, graph string, n int) {
	t.Helper()
	r, err := s.session.CallTool(context.Background(), &mcp.CallToolParams{Name: "run_graph", Arguments: map[string]any{"graph": graph, "arguments": map[string]any{"n": n}}})
	if err != nil {
		t.Error(err)
		return
	}
	var o outcome
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err != nil || o.Status != "succeeded" {
		t.Errorf("%s %v", b, err)
	}
}

// perSecond is how many runs of the small graph end in a second, with several in progress.
func (s *serving) perSecond(t *testing.T, runs int) float64 {
	t.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for range clients {
		wg.Go(func() {
			for next.Add(1) <= int64(runs) && !t.Failed() {
				s.run(t, small, 1)
			}
		})
	}
	wg.Wait()
	return float64(runs) / time.Since(began).Seconds()
}

// perCall is the median of the milliseconds of a call and the switch after it, in a chain
// of calls that is alone.
func (s *serving) perCall(t *testing.T, runs int) float64 {
	t.Helper()
	var took []time.Duration
	for range runs {
		if t.Failed() {
			return 0
		}
		began := time.Now()
		s.run(t, loop, chain)
		took = append(took, time.Since(began)/chain)
	}
	slices.Sort(took)
	return float64(took[len(took)/2].Microseconds()) / 1000
}
