package expr

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/recolabs/gnata"
)

// BenchmarkOverhead measures what this package adds to gnata. The two take turns
// in short batches. Of each, the fastest batch counts; of their ratio, the median
// over the turns: what else the machine does then matters little.
func BenchmarkOverhead(b *testing.B) {
	raw := rawEval(b)
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			p, fault := Compile(shape.src)
			x, err := gnata.Compile(shape.src)
			if fault != nil || err != nil {
				b.Fatal(fault, err)
			}
			s := NewScopeOf(decode(b, shop()), history(b, `inc={"counter":1,"sum":1}`), Limits{})
			root := plainRoot(b)
			ours := func() error { _, err := p.Eval(b.Context(), s); return err }
			theirs := func() error { _, err := raw(x, root); return err }
			least := [2]float64{math.Inf(1), math.Inf(1)}
			var ratios []float64
			for b.Loop() {
				var turn [2]float64
				if len(ratios)%2 == 0 { // the collector finds what the one before left behind
					turn[0], turn[1] = batch(b, ours), batch(b, theirs)
				} else {
					turn[1], turn[0] = batch(b, theirs), batch(b, ours)
				}
				ratios = append(ratios, turn[0]/turn[1])
				least = [2]float64{min(least[0], turn[0]), min(least[1], turn[1])}
			}
			slices.Sort(ratios)
			b.ReportMetric(least[0], "ours-ns")
			b.ReportMetric(least[1], "gnata-ns")
			b.ReportMetric(100*(ratios[len(ratios)/2]-1), "overhead-%")
			b.ReportMetric(testing.AllocsPerRun(10, func() { _ = ours() }), "ours-allocs")
			b.ReportMetric(testing.AllocsPerRun(10, func() { _ = theirs() }), "gnata-allocs")
		})
	}
}

// batch returns the nanoseconds of one call of eval, over a millisecond or one
// call.
func batch(b *testing.B, eval func() error) float64 {
	n, start, lasted := 0, time.Now(), time.Duration(0)
	for step := 1; lasted < time.Millisecond; step *= 2 {
		for range step {
			if err := eval(); err != nil {
				b.Fatal(err)
			}
		}
		n += step
		lasted = time.Since(start)
	}
	return float64(lasted) / float64(n)
}

// rawEval evaluates with gnata alone, with history functions as it lets one
// register them.
func rawEval(b *testing.B) func(x *gnata.Expression, root any) (any, error) {
	h := history(b, `inc={"counter":1,"sum":1}`)
	env := gnata.NewCustomEnv(map[string]gnata.CustomFunc{
		"executionCount": func(args []any, _ any) (any, error) { return float64(h.Count(args[0].(string))), nil },
		"nodeExecution": func(args []any, _ any) (any, error) {
			f, _ := number(args[1])
			v, _ := h.Execution(args[0].(string), int(f))
			return v, nil
		},
	})
	return func(x *gnata.Expression, root any) (any, error) { return x.EvalWithCustomFuncs(b.Context(), root, env) }
}

// plainRoot is the benchmarks' context as a plain map: an ordered one would be
// copied at each call of a function.
func plainRoot(b *testing.B) map[string]any {
	data := decode(b, shop()).(Object)
	root := map[string]any{}
	for _, k := range data.Keys() {
		root[k], _ = data.Get(k)
	}
	return root
}
