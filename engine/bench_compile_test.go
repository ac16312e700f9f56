//go:build unix

package engine_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// typedChain is a graph of n transforms over typed values, each with an expression
// of its own of about 110 characters; with faulty, each reads a field that is not
// there.
func typedChain(n, salt int, faulty bool) string {
	var b strings.Builder
	b.WriteString("inputSchema: {type: object, additionalProperties: false, properties: {x: {type: integer}, s: {type: string}, rows: {type: array, items: {type: object, properties: {a: {type: number}, b: {type: string}}, required: [a, b]}}}, required: [x, s, rows]}\n")
	b.WriteString("nodes:\n  - {id: entry, type: entry, next: n0}\n")
	for i := range n {
		next, read := fmt.Sprintf("n%d", i+1), "$.entry.x"
		if i == n-1 {
			next = "exit"
		}
		if i > 0 {
			read = fmt.Sprintf("$.n%d.v", i-1)
		}
		if faulty {
			read = "$.entry.xs"
		}
		fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: '{\"v\": %s + %d, \"t\": $uppercase($.entry.s) & \"!\", \"sum\": $sum($.entry.rows[a > %d].a)}'}, next: %s}\n", i, read, salt, i, next)
	}
	b.WriteString("  - {id: exit, type: exit}\n")
	return b.String()
}

// processorTime is what the process has used so far, of all threads.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCompile is the cost of checking a graph in processor time: reading it,
// and checking it when its expressions were never seen, when they were, and when
// every node is at fault.
func BenchmarkCompile(b *testing.B) {
	salt := 0
	for _, n := range []int{15, 1000, 2000, 9000} {
		for _, how := range []string{"new", "again", "faulty"} {
			b.Run(fmt.Sprintf("%d/%s", n, how), func(b *testing.B) {
				var read, checked time.Duration
				var bytes uint64
				for b.Loop() {
					b.StopTimer()
					if how != "again" {
						salt++
					}
					src := typedChain(n, salt, how == "faulty")
					runtime.GC()
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					b.StartTimer()
					start := processorTime()
					doc, _ := graph.Parse("g.yaml", src)
					middle := processorTime()
					engine.Compile(doc, "", engine.Env{})
					checked, read = checked+processorTime()-middle, read+middle-start
					b.StopTimer()
					runtime.ReadMemStats(&after)
					bytes += after.TotalAlloc - before.TotalAlloc
					b.StartTimer()
				}
				b.ReportMetric(read.Seconds()*1000/float64(b.N), "read-cpu-ms/op")
				b.ReportMetric(checked.Seconds()*1000/float64(b.N), "check-cpu-ms/op")
				b.ReportMetric(float64(bytes)/1e6/float64(b.N), "MB/op")
			})
		}
	}
}
