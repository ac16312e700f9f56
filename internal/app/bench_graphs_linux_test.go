package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// BenchmarkSaveGraph saves a graph beside others: the same one again, and new ones. It reports
// the processor time of all saves, and of the cheapest.
func BenchmarkSaveGraph(b *testing.B) {
	for _, others := range []int{0, 1000, 10_000} {
		b.Run(strconv.Itoa(others), func(b *testing.B) {
			dir := b.TempDir()
			for i := range others {
				path, old := filepath.Join(dir, fmt.Sprintf("g%05d.yaml", i)), time.Now().Add(-time.Hour)
				if err := os.WriteFile(path, []byte(savedGraph(fmt.Sprintf("g%05d", i), i, "")), 0o600); err != nil {
					b.Fatal(err)
				}
				if err := os.Chtimes(path, old, old); err != nil {
					b.Fatal(err)
				}
			}
			graphs, err := graphfiles.OpenGraphs(dir)
			if err != nil {
				b.Fatal(err)
			}
			pb := app.New(app.Options{Graphs: graphs})
			defer pb.Close()
			n := 0
			save := func(name string) {
				n++
				in := library.SaveInput{GraphInput: plans.GraphInput{Graph: text(savedGraph(name, n, ""))}, Overwrite: true}
				if r, fault := pb.Save(operator(b), in); fault != nil || r.Status != "saved" {
					b.Fatalf("%+v, %v", r, fault)
				}
			}
			for _, name := range []string{"saved", "new"} {
				b.Run(name, func(b *testing.B) {
					save("saved")
					least, start := time.Hour, processorTime(b)
					for b.Loop() {
						began := processorTime(b)
						if save(name); name == "new" {
							name += strconv.Itoa(n)
						}
						least = min(least, processorTime(b)-began)
					}
					b.ReportMetric(float64((processorTime(b)-start).Microseconds())/float64(1000*b.N), "cpu-ms/op")
					b.ReportMetric(float64(least.Microseconds())/1000, "least-cpu-ms")
				})
			}
		})
	}
}

// processorTime is what the process has used so far, of all threads.
func processorTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
