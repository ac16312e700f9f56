//go:build unix

package expr

import (
	"runtime/debug"
	"testing"
	"time"
)

// BenchmarkStepLimit measures the processor time after which the default limit of steps
// ends evaluations of different kinds.
func BenchmarkStepLimit(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for name, src := range map[string]string{
		"tail recursion": `($f := function($x) { $f($x + 1) }; $f(1))`,
		"composition":    hostileSource("composition"),
		"search":         hostileSource("searched pieces"),
		"compare":        hostileSource("compared pieces"),
		"sort":           hostileSource("sort"),
		"backtracking":   `$contains($pad("x", 5000, "x"), /(x+x+)+y(?=z)/)`,
	} {
		b.Run(name, func(b *testing.B) {
			p, fault := Compile(src)
			if fault != nil {
				b.Fatal(fault)
			}
			for b.Loop() {
				start := processorTime()
				_, err := p.Eval(b.Context(), NewScope(nil, Limits{Timeout: -1, MaxMemory: 8 << 30}))
				b.ReportMetric(float64(processorTime()-start)/float64(time.Millisecond), "cpu-ms")
				b.ReportMetric(0, "ns/op")
				if code := codeOf(err); code != "too-much-work" {
					b.Errorf("ends with %s", code)
				}
			}
		})
	}
}

func hostileSource(name string) string {
	for _, h := range hostile {
		if h.name == name {
			return h.src
		}
	}
	panic("there is no hostile expression " + name)
}
