package exact_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// database is the disk that users have: a journal, of which a crash leaves what is in
// its files.
type database struct {
	*journal.Journal
	t    *testing.T
	path string
}

func openDatabase(t *testing.T) *database {
	d := &database{t: t, path: filepath.Join(t.TempDir(), "runs.db")}
	d.open()
	return d
}

func (d *database) open() {
	var err error
	if d.Journal, err = journal.Open(d.path, nil); err != nil {
		d.t.Fatal(err)
	}
}

func (d *database) keep(func() bool) {}

// read opens a copy of the files after a crash: what was queued is not in it. Nothing is
// written at the same time, because all else in the bubble waits.
func (d *database) read(_ *run.Record, crashed bool) *run.Record {
	if crashed {
		was := *d
		d.path = filepath.Join(d.t.TempDir(), "runs.db")
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(was.path + suffix)
			if err == nil {
				err = os.WriteFile(d.path+suffix, b, 0o600)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				d.t.Fatal(err)
			}
		}
		d.open()
		if err := was.Close(); err != nil {
			d.t.Error(err)
		}
	}
	rec, err := d.Load(run.Actor{Operator: true}, "run")
	if err != nil && !errors.Is(err, run.ErrNoRun) {
		d.t.Error(err)
	}
	return rec
}

// TestResumedRunsAreExactInTheDatabase is TestResumedRunsAreExact with a journal, and
// fewer places to stop at.
func TestResumedRunsAreExactInTheDatabase(t *testing.T) {
	graphs := uint64(12)
	switch {
	case *every:
		graphs = 400
	case testing.Short():
		graphs = 3
	}
	for seed := range graphs {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			g := randomPlan(t, seed, true)
			synctest.Test(t, func(t *testing.T) {
				x := &exactRun{plan: g.plan, seed: seed}
				clean := newSite(seed)
				x.finish(clean, x.begin(clean))
				for i, stop := range stops {
					places := clean.events + 1
					if slices.Contains(callStops, stop) {
						places = max(1, clean.arrived)
					}
					s := newSite(seed<<8 + uint64(i))
					d := openDatabase(t)
					s.disk, s.stop, s.at = d, stop, 1+s.IntN(places)
					at := s.at
					x.finish(s, x.begin(s))
					for _, what := range s.broken {
						t.Errorf("seed %d, %s at %d: %s", seed, stop, at, what)
					}
					if err := d.Close(); err != nil {
						t.Error(err)
					}
					if t.Failed() {
						t.Fatalf("graphs:\n%s", g.src)
					}
				}
			})
		})
	}
}
