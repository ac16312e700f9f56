package journal_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// durable makes n steps of a start and a safe end in so many runs at once, and
// returns the steps per second.
func durable(b *testing.B, j *journal.Journal, name string, runs, n int) float64 {
	output := value(b, `{"content":"a line\nanother line","n":[1,2,3],"ok":true}`)
	for i := range runs {
		if err := j.Begin(&run.Record{ID: fmt.Sprint(name, i), Status: run.Running, Started: now}); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			id := fmt.Sprint(name, i)
			for k := range n / runs {
				s := run.StepRecord{Index: k, Node: "n", Type: "mcp", Key: fmt.Sprint("n#", k), Started: now, Definition: 7}
				if err := j.Step(id, s, false); err != nil {
					b.Error(err)
				}
				s.Ended, s.Duration, s.Input, s.Output = k+1, time.Millisecond, output, output
				if err := j.Step(id, s, true); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return float64(n/runs*runs) / time.Since(start).Seconds()
}

// BenchmarkJournal is 16 runs at once: steps that are safe on disk a second, and
// the same with a transaction for each write, in turns.
func BenchmarkJournal(b *testing.B) {
	grouped := openJournal(b, filepath.Join(b.TempDir(), "grouped.db"), nil)
	alone := openJournal(b, filepath.Join(b.TempDir(), "alone.db"), &journal.Options{Ungrouped: true})
	var fast, slow float64
	rounds := 0
	for b.Loop() {
		fast += durable(b, grouped, fmt.Sprint("g", rounds, "_"), 16, 3200)
		slow += durable(b, alone, fmt.Sprint("a", rounds, "_"), 16, 640)
		rounds++
	}
	b.ReportMetric(fast/float64(rounds), "steps/s")
	b.ReportMetric(slow/float64(rounds), "ungrouped-steps/s")
	b.ReportMetric(fast/slow, "ratio")
}

// BenchmarkReopen is the time until runs that a crash left can go on: 10,000 steps
// in ten runs.
func BenchmarkReopen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "runs.db")
	j := openJournal(b, path, nil)
	durable(b, j, "r", 10, 10_000)
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		j, err := journal.Open(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		runs, err := j.ClaimOrphans("")
		if err != nil || len(runs) != 10 || len(runs[9].Steps) != 1000 {
			b.Fatal(len(runs), err)
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
