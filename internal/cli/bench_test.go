package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/telemetry"
)

// BenchmarkServeMemory reports the resident memory of an idle server whose lists of
// tools are cached, when it is idle.
func BenchmarkServeMemory(b *testing.B) {
	for _, tools := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("tools=%d", tools), func(b *testing.B) {
			binary, dir := built(b), cached(b, tools)
			for b.Loop() {
				s := serveIn(b, binary, dir)
				s.ask(b, initialize)
				s.ask(b, searchTicket)
				// The servers list their tools again meanwhile.
				mb, last := 0.0, 1.0
				for mb != last {
					time.Sleep(3 * telemetry.Idle)
					last, mb = mb, resident(b, s.Process.Pid)
				}
				b.ReportMetric(mb, "MB-resident")
				_ = s.in.Close()
				_ = s.Wait()
			}
		})
	}
}

// resident is a process's memory in whole megabytes.
func resident(b testing.TB, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		b.Skip("there is no /proc here")
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kb >> 10)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// built is the program as it is released.
func built(b testing.TB) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "patchbay")
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", binary, "../../cmd/patchbay")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// listed is how many tools a server of [cached] lists.
const listed = 2000

// cached is a folder with a configuration of servers with so many tools together,
// the first called fake, whose lists are cached.
func cached(b *testing.B, tools int) string {
	b.Helper()
	dir := b.TempDir()
	b.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	config, servers := []string{"servers:"}, 0
	for left := tools; left > 0; left -= listed {
		name := "fake"
		if servers > 0 {
			name += strconv.Itoa(servers)
		}
		config = append(config, fmt.Sprintf("  %s: {command: fake, args: [-tools, \"%d\"]}", name, min(left, listed)))
		servers++
	}
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(strings.Join(config, "\n")), 0o600); err != nil {
		b.Fatal(err)
	}
	s := serveIn(b, "", dir)
	s.ask(b, initialize)
	for files := []string(nil); len(files) < servers; time.Sleep(100 * time.Millisecond) {
		files, _ = filepath.Glob(filepath.Join(dir, ".cache", "patchbay", "*.tools"))
	}
	_ = s.in.Close()
	_ = s.Wait()
	return dir
}
