//go:build unix

package expr

import (
	"runtime/debug"
	"testing"
)

// BenchmarkStepLimit measures the processor time after which the default limit of steps
// ends evaluations of different kinds.
func BenchmarkStepLimit(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for name, src := range map[string]string{
		"tail recursion": `($f := function($x) { $f($x + 1) }; $f(1))`,
		"loop":           `$count([1..5000].($x := $; [1..5000][$ = $x]))`,
		"map":            `$sum($map([1..1000000], function($x) { $sum($map([1..100], function($y) { $x + $y })) }))`,
		"reduce":         `$reduce([1..2000000], function($a, $b) { $reduce([1..100], function($c, $d) { $c + $d }) })`,
		"recursion":      `($f := function($n) { $n < 2 ? $n : $f($n - 1) + $f($n - 2) }; $f(60))`,
		"building text":  `($f := function($s) { $f($length($s) > 1000 ? "x" : $s & "y") }; $f("x"))`,
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
				_, err := p.Eval(b.Context(), NewScope(nil, Limits{Timeout: -1, MaxMemory: 64 << 30, MaxRange: 1 << 40}))
				b.ReportMetric((processorTime() - start).Seconds(), "cpu-s")
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
