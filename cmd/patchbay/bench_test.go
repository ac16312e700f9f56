package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkServe measures what a client waits for: from the start of the process
// to the reply to initialize, and to that of a first search, with a cached list of
// 1,000 tools. Read the minima; cpu-ms is the processor time until the search was
// answered and the process ended.
func BenchmarkServe(b *testing.B) {
	binary, dir := built(b), cached(b, 1000)
	lowest := map[string]float64{}
	note := func(unit string, v float64) {
		if old, ok := lowest[unit]; !ok || v < old {
			lowest[unit] = v
		}
	}
	for b.Loop() {
		began := time.Now()
		s := serveIn(b, binary, dir)
		s.ask(b, initialize)
		note("min-ms-to-initialize", ms(time.Since(began)))
		if reply := s.ask(b, searchTicket); !strings.Contains(reply, "archive_") {
			b.Fatal(reply)
		}
		note("min-ms-to-search", ms(time.Since(began)))
		_ = s.in.Close()
		_ = s.Wait()
		note("min-cpu-ms", ms(s.ProcessState.UserTime()+s.ProcessState.SystemTime()))
	}
	for unit, v := range lowest {
		b.ReportMetric(v, unit)
	}
}

// BenchmarkServeMemory reports the resident memory of an idle server with 1,000
// tools, five seconds after its start.
func BenchmarkServeMemory(b *testing.B) {
	binary, dir := built(b), cached(b, 1000)
	for b.Loop() {
		s := serveIn(b, binary, dir)
		s.ask(b, initialize)
		s.ask(b, searchTicket)
		time.Sleep(5 * time.Second)
		status, err := os.ReadFile("/proc/" + strconv.Itoa(s.Process.Pid) + "/status")
		if err != nil {
			b.Skip("there is no /proc here")
		}
		_, after, _ := strings.Cut(string(status), "VmRSS:")
		kb, err := strconv.Atoi(strings.Fields(after)[0])
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(kb)/1024, "MB-resident")
		_ = s.in.Close()
		_ = s.Wait()
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// built is the program as it is released.
func built(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "patchbay")
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// cached is a folder with a configuration of a server of many tools, whose list
// is cached.
func cached(b *testing.B, tools int) string {
	b.Helper()
	dir := b.TempDir()
	config := "servers:\n  fake: {command: fake, args: [-tools, \"" + strconv.Itoa(tools) + "\"]}\n"
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	s := serveIn(b, "", dir)
	s.ask(b, initialize)
	s.ask(b, callShout)
	_ = s.in.Close()
	_ = s.Wait()
	return dir
}
