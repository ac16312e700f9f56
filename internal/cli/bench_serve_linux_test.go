package cli

import (
	"flag"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var servePrograms = flag.String("serve.programs", "", "the `PATHS` of programs that BenchmarkServe compares instead of this one, separated by commas")

// BenchmarkServe measures what a client waits for: from the start of the process to the
// reply to initialize, and to that of a first search, with a cached list of 1,000 tools.
// Programs take turns. cpu is the processor time of the process, user and system, until
// the reply to initialize.
//
//	go test ./internal/cli -run '^$' -bench 'BenchmarkServe$' -benchtime 100x -serve.programs OLD,NEW
func BenchmarkServe(b *testing.B) {
	programs := strings.FieldsFunc(*servePrograms, func(r rune) bool { return r == ',' })
	if len(programs) == 0 {
		programs = []string{built(b)}
	}
	dir, measured := cached(b, 1000), map[string][]float64{}
	for b.Loop() {
		for _, program := range programs {
			note := func(what string, v float64) {
				name := filepath.Base(program) + "-" + what
				measured[name] = append(measured[name], v)
			}
			began := time.Now()
			s := serveIn(b, program, dir)
			s.ask(b, initialize)
			note("ms-to-initialize", ms(time.Since(began)))
			note("cpu-ms", ms(s.running(b)))
			if reply := s.ask(b, searchTicket); !strings.Contains(reply, "archive_") {
				b.Fatal(reply)
			}
			note("ms-to-search", ms(time.Since(began)))
			_ = s.in.Close()
			_ = s.Wait()
		}
	}
	for name, all := range measured {
		slices.Sort(all)
		b.ReportMetric(all[0], "min-"+name)
		b.ReportMetric(all[len(all)/2], "median-"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkList measures what a client waits for that only lists the tools: from the start of
// the process to the reply to tools/list, with and without 10,000 tools whose lists are cached,
// in turns, and the processor time until then.
func BenchmarkList(b *testing.B) {
	binary, measured := built(b), map[string][]float64{}
	counts := []int{0, 10_000}
	dirs := []string{b.TempDir(), cached(b, counts[1])}
	for b.Loop() {
		for i, dir := range dirs {
			began := time.Now()
			s := serveIn(b, binary, dir)
			s.ask(b, initialize)
			if reply := s.ask(b, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(reply, "search_nodes") {
				b.Fatal(reply)
			}
			clock := "ms-" + strconv.Itoa(counts[i])
			measured[clock] = append(measured[clock], ms(time.Since(began)))
			measured["cpu-"+clock] = append(measured["cpu-"+clock], ms(s.running(b)))
			_ = s.in.Close()
			_ = s.Wait()
		}
	}
	for name, all := range measured {
		slices.Sort(all)
		b.ReportMetric(all[0], "min-"+name)
		b.ReportMetric(all[len(all)/2], "median-"+name)
	}
	b.ReportMetric(0, "ns/op")
}
