package torture

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

var (
	duration = flag.Duration("torture.for", 3*time.Second, "how long TestTorture attacks")
	memoryMB = flag.Int("torture.memory", 1024, "limits.memoryMB of the server")
	seed     = flag.Uint64("torture.seed", 1, "of what is generated")
	slack    = flag.Float64("torture.slack", 10, "by how many times the bounds may be exceeded")
	write    = flag.Bool("torture.write", false, "write the figures into docs/measured/reliability.md")
)

// Bounds of the long run, on a quiet machine.
const (
	late     = 200 * time.Millisecond // after an operation's limit
	overRSS  = 1.25                   // peak RSS as a multiple of limits.memoryMB
	innocent = 500 * time.Millisecond // p99 of other clients' calls
	windows  = 5                      // that the duration is divided into; the p99 is their median
	// transferred is how many bytes of an answer are encoded, sent and read in a second,
	// by the server and by this process: the limit of a run is not that of its answer.
	transferred = 20 << 20
)

const hostileEnv = "PATCHBAY_TORTURE_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(hostileEnv) != "" {
		hostile()
		return
	}
	os.Exit(testenv.Home(m).Run())
}

// TestTorture attacks a server by two clients at a time while two others search and run
// a graph of three nodes.
func TestTorture(t *testing.T) {
	s := start(t, *memoryMB)
	pace := 1.0
	if *slack <= 1 {
		pace = s.pace(t.Context(), t)
	}
	w := newWatchdog(pace)
	end := time.Now().Add(*duration)
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(time.Minute))
	defer cancel()
	var wg sync.WaitGroup
	for n := range uint64(2) {
		wg.Go(func() { s.attack(ctx, end, w, n) })
	}
	for _, call := range innocents {
		wg.Go(func() { s.visit(ctx, end, w, call) })
	}
	wg.Wait()
	select {
	case err := <-s.died:
		s.died <- err
		t.Fatalf("the server ended: %v\n%s", err, s.log)
	default:
	}
	w.judge(t, s.peak())
	t.Log("\n" + w.slowest())
	figures := w.table(s.peak())
	t.Log("\n" + figures)
	if *write {
		writeFigures(t, figures)
	}
}

// writeFigures replaces the figures of the page.
func writeFigures(t *testing.T, figures string) {
	t.Helper()
	const page, begin, end = "../../docs/measured/reliability.md", "<!-- torture: written by make torture -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the figures", page)
	}
	made := fmt.Sprintf("\nMade in %v with seed %d on %d processors:\n\n%s\n", *duration, *seed, runtime.NumCPU(), figures)
	if err := os.WriteFile(page, []byte(before+begin+made+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// attack sends one attack after the other, of each family in turn.
// What is sent follows from the seed, the number of the attacker and that of the attack.
func (s *server) attack(ctx context.Context, end time.Time, w *watchdog, attacker uint64) {
	var c *client
	r := rand.New(rand.NewPCG(*seed, attacker))
	for i := 0; i < len(families) || time.Now().Before(end); i++ {
		if c == nil {
			var err error
			if c, err = s.connect(ctx); err != nil {
				w.fail(fmt.Sprintf("an attacker cannot connect: %v", err))
				return
			}
		}
		f := families[i%len(families)]
		a := f.make(r)
		began := time.Now()
		var got reply
		var took time.Duration
		var err error
		if a.body != nil {
			got, err = c.post(ctx, a.body)
			took = time.Since(began)
		} else {
			got, took, err = c.call(ctx, a.tool, a.args)
		}
		switch {
		case err != nil && a.body == nil:
			w.fail(fmt.Sprintf("%s: no answer after %v: %v\n%s", f.name, took, err, cut(fmt.Sprint(a.args))))
			c = nil
			continue
		case err != nil: // a damaged frame may end its connection, and has no answer if it is a notification
			c = nil
			continue
		}
		kind := got.kind()
		if a.body != nil && strings.HasPrefix(kind, "refused") {
			c = nil // its session may be over
		}
		w.attacked(f, a, fmt.Sprintf("seed %d attacker %d attack %d", *seed, attacker, i), kind, took, got)
	}
}

// innocents are the calls of the other clients.
var innocents = []attack{
	{tool: "search_nodes", args: map[string]any{"query": "read a text file and count its lines"}},
	{tool: "run_graph", args: map[string]any{"graph": graphOf(`{"type":"object"}`, `{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","transform":{"expr":"$sum([1..10])"},"next":"exit"},{"id":"exit","type":"exit","result":{"expr":"$.t"}}`)}},
}

// visit makes one call again and again, as fast as a busy agent does.
func (s *server) visit(ctx context.Context, end time.Time, w *watchdog, a attack) {
	c, err := s.connect(ctx)
	if err != nil {
		w.fail(fmt.Sprintf("a visitor cannot connect: %v", err))
		return
	}
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for began := time.Now(); time.Now().Before(end); <-pause.C {
		window := int(float64(windows) * float64(time.Since(began)) / float64(end.Sub(began)))
		got, took, err := c.call(ctx, a.tool, a.args)
		if err != nil {
			w.fail(fmt.Sprintf("%s of a visitor has no answer: %v", a.tool, err))
			return
		}
		if k := got.kind(); k != "ok" {
			w.fail(fmt.Sprintf("%s of a visitor: %s: %s", a.tool, k, cut(string(got.text))))
		}
		w.visited(a.tool, min(window, windows-1), took)
	}
}

func cut(s string) string { return s[:min(len(s), 2000)] }

func percentile(of []time.Duration, p float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}
