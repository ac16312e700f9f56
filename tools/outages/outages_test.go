//go:build linux || darwin

package outages

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

var (
	duration = flag.Duration("servers.for", 3*time.Second, "how long TestOutages disturbs the servers")
	seed     = flag.Uint64("servers.seed", 1, "of what is done to the servers")
	write    = flag.Bool("servers.write", false, "write the figures into docs/measured/reliability.md")
)

// callers is how many clients call at the same time.
const callers = 16

func TestMain(m *testing.M) {
	if control := os.Getenv(shimEnv); control != "" {
		shim(control)
		return
	}
	os.Exit(testenv.Home(m).Run())
}

// TestOutages: whatever happens to a server, each call of it ends with its own answer or
// with an error that names the server, and the server is called again when it is back. At
// the end no process is left.
func TestOutages(t *testing.T) {
	c := listen(t)
	servers := append(npmServers(t, c), newRemote(t))
	if testing.Short() {
		*duration = min(*duration, time.Second)
	}
	p := serve(t, servers)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	// Before anything happens, each server answers.
	first := p.connect(t)
	for _, s := range servers {
		awaitAnswer(ctx, t, first, s, "first")
	}

	f := newFigures(servers)
	end := time.Now().Add(*duration)
	var disturbing, calling sync.WaitGroup
	for i, s := range servers {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		disturbing.Go(func() { disturb(ctx, end, s, r, f) })
	}
	for n := range callers {
		session := p.connect(t)
		calling.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				s := servers[(n+i)%len(servers)]
				began := time.Now()
				a := call(ctx, session, s, i%2 == 0, n, i%values)
				f.called(s, a, time.Since(began))
				if a.wrong != "" {
					t.Errorf("caller %d, call %d of %q: %s", n, i, s.name(), a.wrong)
					return
				}
			}
		})
	}
	calling.Wait()
	disturbing.Wait()

	for _, s := range servers {
		awaitAnswer(ctx, t, first, s, "last")
	}
	p.stop()
	c.awaitAllGone()
	figures := f.table()
	t.Log("\n" + figures)
	if *write {
		writeFigures(t, figures)
	}
}

// disturb does one thing after the other to a server, and at the end undoes what lasts.
func disturb(ctx context.Context, end time.Time, s server, r *rand.Rand, f *figures) {
	names, deeds := s.deeds()
	for time.Now().Before(end) {
		name := names[r.IntN(len(names))]
		if undo := deeds[name](r); undo != nil {
			pause(ctx, end, time.Duration(100+r.IntN(4000))*time.Millisecond)
			undo()
		}
		f.did(s, name)
		pause(ctx, end, time.Duration(50+r.IntN(1500))*time.Millisecond)
	}
}

// pause returns after a while, or when the test ends.
func pause(ctx context.Context, end time.Time, d time.Duration) {
	timer := time.NewTimer(min(d, time.Until(end)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// awaitAnswer calls a server until it answers: it may just be starting.
func awaitAnswer(ctx context.Context, t *testing.T, session caller, s server, when string) {
	t.Helper()
	for i := 0; ; i++ {
		a := call(ctx, session, s, i%2 == 0, 0, i%values)
		if a.wrong != "" {
			t.Fatalf("the %s call of %q: %s", when, s.name(), a.wrong)
		}
		if a.own {
			return
		}
		if i%20 == 0 {
			t.Logf("the %s call of %q: %s", when, s.name(), a.text)
		}
		pause(ctx, time.Now().Add(time.Hour), 100*time.Millisecond)
	}
}

// writeFigures replaces the figures of the page.
func writeFigures(t *testing.T, figures string) {
	t.Helper()
	const begin, end = "<!-- outages: written by make outages -->\n", "<!-- end of outages -->"
	page := filepath.Join("..", "..", "docs", "measured", "reliability.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the figures", page)
	}
	made := fmt.Sprintf("\nMade in %v with seed %d and %d callers on %d processors:\n\n%s\n", *duration, *seed, callers, runtime.NumCPU(), figures)
	if err := os.WriteFile(page, []byte(before+begin+made+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
