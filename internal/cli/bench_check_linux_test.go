package cli

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/tests/graphdata"
)

// BenchmarkCheck measures "patchbay validate" in processes of their own, on documents
// of growing size and every shape, as JSON and as YAML: the processor time and the peak
// of the resident memory for the largest, of 10,000 nodes, and the exponent with which
// the time grows with the document, by least squares, without that of a start. For the
// exponent garbage is collected in the same proportion at every size.
func BenchmarkCheck(b *testing.B) {
	binary := built(b)
	for _, f := range graphdata.Families {
		for format, write := range map[string]func(int) string{"json": f.JSON, "yaml": f.YAML} {
			b.Run(f.Name+"/"+format, func(b *testing.B) {
				for b.Loop() {
					start, _ := checkOnce(b, binary, "nodes.json", `{"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}`, "GOGC=100")
					var length, cpu []float64
					largest := ""
					for _, n := range []int{1248, 2496, 4992, 9984} {
						text := write(n)
						if len(text) > graph.MaxBytes {
							break
						}
						took, _ := checkOnce(b, binary, "large."+format, text, "GOGC=100")
						length, cpu = append(length, math.Log(float64(len(text)))), append(cpu, math.Log(max(took-start, 1)))
						largest = text
					}
					last, mb := checkOnce(b, binary, "large."+format, largest)
					b.ReportMetric(last, "cpu-ms")
					b.ReportMetric(mb, "MB-peak")
					b.ReportMetric(slope(length, cpu), "exponent")
				}
			})
		}
	}
}

// checkOnce returns the milliseconds of processor time and the megabytes of resident
// memory that a check takes.
func checkOnce(b *testing.B, binary, name, text string, env ...string) (cpu, mb float64) {
	b.Helper()
	dir := b.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	debug.FreeOSMemory() // a new process begins with the memory of this one
	cmd := exec.CommandContext(b.Context(), binary, "validate", path)
	cmd.Dir, cmd.Env = dir, slices.Concat(env, []string{"HOME=" + dir})
	_ = cmd.Run() // it fails where there are faults
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("the process did not run")
	}
	return ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()), float64(usage.Maxrss) / 1e3
}

// slope is that of the line through points by least squares.
func slope(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
