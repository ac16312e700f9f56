package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// durable makes n calls in so many runs at once, each with an intent that is on disk
// first, and returns the calls per second.
func durable(b *testing.B, j *journal.Journal, name string, runs, n int) float64 {
	output := value(b, `{"content":"a line\nanother line","n":[1,2,3],"ok":true}`)
	for i := range runs {
		if err := j.Begin(&run.Record{ID: fmt.Sprint(name, i), Status: run.Running, Started: now}, true); err != nil {
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
				if err := j.Intend(id, run.Intent{Key: s.Key + "/call", Step: s.Key, Kind: run.IntentCall, At: now}, true); err != nil {
					b.Error(err)
				}
				s.Ended, s.Duration, s.Input, s.Output = k+1, time.Millisecond, output, output
				if err := j.Step(id, s); err != nil {
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

// BenchmarkAppend is what a file would take that is only appended to: as many records of
// about the same size as BenchmarkJournal, 16 with each sync.
func BenchmarkAppend(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "runs.log"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	record := []byte(strings.Repeat("r", 400) + "\n")
	const steps = 3200
	for b.Loop() {
		for range steps / 16 {
			for range 2 * 16 { // an intent and a step
				if _, err := f.Write(record); err != nil {
					b.Fatal(err)
				}
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(steps*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
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

// BenchmarkRun is one run with a call that may be repeated, which nobody waits for.
func BenchmarkRun(b *testing.B) {
	j := openJournal(b, filepath.Join(b.TempDir(), "runs.db"), nil)
	output := value(b, `{"content":"a line\nanother line","n":[1,2,3],"ok":true}`)
	source := run.Source{Name: "g", Text: strings.Repeat("  - {id: a, type: transform, transform: {expr: $.entry.n}, next: b}\n", 25)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := &run.Record{ID: fmt.Sprint("run", i), Source: source, Arguments: []byte(`{"n":1}`), Status: run.Running, Started: now}
		pure := run.StepRecord{Index: 0, Node: "entry", Type: "entry", Key: "entry#0", Pure: true, Started: now, Ended: 1, Output: output, Definition: 7}
		call := run.StepRecord{Index: 1, Node: "call", Type: "mcp", Key: "call#0", Started: now, Definition: 8}
		done := call
		done.Ended, done.Output, done.Call = 2, output, "abcdefghijkl"
		exit := pure
		exit.Index, exit.Key, exit.Ended = 2, "exit#0", 3
		if err := j.Begin(r, false); err != nil {
			b.Fatal(err)
		}
		for _, s := range []run.StepRecord{pure, call, done, exit} {
			if err := j.Step(r.ID, s); err != nil {
				b.Fatal(err)
			}
		}
		r.Status, r.Result, r.Ended = run.Succeeded, output, now
		if err := j.End(r, false); err != nil {
			b.Fatal(err)
		}
		if i%50 == 49 {
			if _, err := j.Status(operator, r.ID); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkLargeDocument begins and ends runs of a document of 110 kB with backslashes, and of
// one of 100 bytes, in turns: the ratio of their times.
func BenchmarkLargeDocument(b *testing.B) {
	redactor := secrets.NewRedactor([]secrets.Secret{{Name: "a", Value: "a-secret-that-is-nowhere"}, {Name: "b", Value: "another-of-them"}})
	j := openJournal(b, filepath.Join(b.TempDir(), "large.db"), &journal.Options{Redact: redactor.Refer, Secrets: redactor.Version})
	const runs = 200
	rounds := 0
	round := func(document string) time.Duration {
		rounds++
		start := time.Now()
		for i := range runs {
			r := &run.Record{ID: fmt.Sprint("r", rounds, "_", i), Status: run.Running, Started: now, Source: run.Source{Text: document}}
			if err := j.Begin(r, false); err != nil {
				b.Fatal(err)
			}
			r.Status, r.Ended = run.Succeeded, now
			if err := j.End(r, i == runs-1); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}
	large, small := strings.Repeat(`{"expr":"$match(x, /\\d+/)"} `, 4000), strings.Repeat("x", 100)
	var took, least time.Duration
	for b.Loop() {
		took, least = took+round(large), least+round(small)
	}
	b.ReportMetric(float64(took)/float64(least), "ratio")
	b.ReportMetric(float64(took.Microseconds())/float64(runs*b.N), "µs/run")
}

// BenchmarkManyRuns lists the latest 20 of 20,000 runs, those of all statuses and those of the
// last 20 that failed in turns, and then deletes the runs.
func BenchmarkManyRuns(b *testing.B) {
	const runs = 20_000
	var all, failed, pruned time.Duration
	for b.Loop() {
		j := openJournal(b, filepath.Join(b.TempDir(), "many.db"), nil)
		for i := range runs {
			r := &run.Record{ID: fmt.Sprint("r", i), Status: run.Running, Started: now.Add(time.Duration(i)), Source: run.Source{Text: "x"}}
			err := j.Begin(r, false)
			r.Status, r.Ended = run.Succeeded, r.Started
			if i%1000 == 0 {
				r.Status = run.Failed
			}
			if err := errors.Join(err, j.Step(r.ID, run.StepRecord{Node: "a", Key: "a#0", Ended: 1, Output: "a"}), j.End(r, false)); err != nil {
				b.Fatal(err)
			}
		}
		list := func(status run.Status) time.Duration {
			if _, err := j.Status(operator, "r0"); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if list, err := j.List(run.Filter{Actor: operator, Status: status, Limit: 20}); err != nil || len(list) != 20 {
				b.Fatal(len(list), err)
			}
			return time.Since(start)
		}
		for range 5 {
			all, failed = all+list(""), failed+list(run.Failed)
		}
		start := time.Now()
		if n, err := j.Prune("", now.Add(time.Hour), 0); n != runs || err != nil {
			b.Fatal(n, err)
		}
		pruned += time.Since(start)
	}
	b.ReportMetric(float64(failed)/float64(all), "status-ratio")
	b.ReportMetric(float64(failed.Microseconds())/float64(5*b.N), "list-µs")
	b.ReportMetric(float64(pruned.Microseconds())/float64(runs*b.N), "pruned-µs/run")
	b.ReportMetric(0, "ns/op")
}
