//go:build unix

package expr

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recolabs/gnata"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

const (
	speedBegin = "<!-- speed: written by go test ./expr -run - -bench Speed -benchtime 5s -update -->\n"
	speedEnd   = "<!-- end of speed -->\n"
)

// A pace is what one evaluation of a shape takes, in nanoseconds of processor
// time, and how many times it allocates.
type pace struct {
	name          string
	ours, gnata   float64
	median        float64 // of what this package adds to gnata in each turn, as a part of it
	node          float64 // 0 where Node was not asked
	allocs, bases float64 // ours and gnata's
}

// added is what this package adds to gnata, as a part of it.
func (p pace) added() float64 { return p.ours/p.gnata - 1 }

// BenchmarkSpeed measures this package beside gnata alone and, where that is installed,
// beside jsonata on Node.
//
// Ours and gnata take turns in short batches of processor time, and of each the
// fastest batch counts: what else the machine does then matters little. It does in
// the median over the turns of what is added, in which the caches are others'. The
// collector is set as the server sets it. With -update the table of
// docs/measured/expressions.md is written.
func BenchmarkSpeed(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var list [][2]string
	for _, shape := range shapes {
		list = append(list, [2]string{shape.name, shape.src})
	}
	node := nodeTimes(b, shop(), list, 3000)
	var paces []pace
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			p := measurePace(b, shape.src)
			p.name, p.node = shape.name, node[shape.name]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(p.ours, "ours-ns")
			b.ReportMetric(p.gnata, "gnata-ns")
			b.ReportMetric(100*p.added(), "added-%")
			b.ReportMetric(100*p.median, "median-added-%")
			if p.node > 0 {
				b.ReportMetric(p.node/p.ours, "node-times")
			}
			paces = append(paces, p)
		})
	}
	var rule, short, long float64
	b.Run("rule", func(b *testing.B) {
		eval := twoComparisons(b)
		rule = fastest(b, eval)
		b.ReportMetric(rule, "ours-ns")
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			short, long = parsed(b, 10<<10), parsed(b, 1<<20)
		}
		b.ReportMetric(short, "MB/s-of-10kB")
		b.ReportMetric(long, "MB/s-of-1MB")
	})
	if golden.Updating() && len(paces) == len(shapes) && long > 0 {
		writeSpeed(b, paces, fmt.Sprintf("A JSON Logic rule of two comparisons takes %s. The parser reads %.2g MB/s of an expression of 1 MB, and %.2g MB/s of one of 10 kB.\n\n", micros(rule), long, short))
	}
}

// fastest returns the nanoseconds of the fastest batch of eval.
func fastest(b *testing.B, eval func()) float64 {
	least := math.Inf(1)
	for b.Loop() {
		least = min(least, batch(eval))
	}
	return least
}

// parsed returns how many megabytes of expressions of so many bytes are parsed in
// a second, the collection of garbage included.
func parsed(b *testing.B, size int) float64 {
	const item = `{"total": $sum(list.items[price > 10].(price * qty)), "names": list.items.name ~> $join(", "), "n": $count(list.items)}, `
	src := "[" + strings.Repeat(item, size/len(item)) + "1]"
	n, start := 0, processorTime()
	for processorTime()-start < time.Second {
		if _, err := jsonata.Parse(src); err != nil {
			b.Fatal(err)
		}
		n += len(src)
	}
	return float64(n) / 1e6 / (processorTime() - start).Seconds()
}

func measurePace(b *testing.B, src string) pace {
	ours, theirs := contenders(b, src)
	p := pace{ours: math.Inf(1), gnata: math.Inf(1), allocs: testing.AllocsPerRun(20, ours), bases: testing.AllocsPerRun(20, theirs)}
	var ratios []float64
	for b.Loop() {
		// Ours stands on both sides, as the collector finds what the one before left.
		before, between, after := batch(ours), batch(theirs), batch(ours)
		p.ours, p.gnata = min(p.ours, before, after), min(p.gnata, between)
		ratios = append(ratios, (before+after)/2/between)
	}
	slices.Sort(ratios)
	p.median = ratios[len(ratios)/2] - 1
	return p
}

// contenders returns what evaluates src with this package and with gnata alone,
// with history functions as gnata lets one register them, over a plain map: an
// ordered one would be copied at each call of those.
func contenders(b *testing.B, src string) (ours, theirs func()) {
	p, fault := Compile(src)
	x, err := gnata.Compile(src)
	if fault != nil || err != nil {
		b.Fatal(fault, err)
	}
	h := history(b, `inc={"counter":1,"sum":1}`)
	last, err := gnata.DecodeJSON([]byte(`{"counter":1,"sum":1}`))
	if err != nil {
		b.Fatal(err)
	}
	executed := func(Value) any { return last }
	env := gnata.NewCustomEnv(map[string]gnata.CustomFunc{
		"executionCount": func(args []any, _ any) (any, error) { return float64(h.Count(args[0].(string))), nil },
		"nodeExecution": func(args []any, _ any) (any, error) {
			f, _ := number(args[1])
			if v, ok := h.Execution(args[0].(string), int(f)); ok {
				return executed(v), nil
			}
			return nil, nil
		},
	})
	data := decode(b, shop())
	root := map[string]any{}
	for _, k := range data.(Object).Keys() {
		v, _ := data.(Object).Get(k)
		text, err := Encode(v)
		if err != nil {
			b.Fatal(err)
		}
		if root[k], err = gnata.DecodeJSON(text); err != nil {
			b.Fatal(err)
		}
	}
	s, ctx := NewScopeWith(data, h, Limits{}), b.Context()
	must := func(_ any, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	return func() { must(p.Eval(ctx, s)) }, func() { must(x.EvalWithCustomFuncs(ctx, root, env)) }
}

// batch returns the nanoseconds of processor time of one call of eval, over 1 ms.
func batch(eval func()) float64 {
	n, start, used := 0, processorTime(), time.Duration(0)
	for step := 1; used < time.Millisecond; step *= 2 {
		for range step {
			eval()
		}
		n += step
		used = processorTime() - start
	}
	return float64(used) / float64(n)
}

// processorTime is what this process has used of the processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeSpeed writes the table of docs/measured/expressions.md.
func writeSpeed(b *testing.B, paces []pace, rest string) {
	var t strings.Builder
	t.WriteString("\n| expression | Patchbay | gnata | time against gnata | allocations: Patchbay, gnata | jsonata on Node |\n|---|--:|--:|--:|--:|--:|\n")
	for _, p := range paces {
		added := fmt.Sprintf("%.0f %%", 100*p.added())
		if over := p.ours - p.gnata; over > 0 && over < 1000 {
			added += fmt.Sprintf(" (%.2g µs)", over/1000)
		}
		node := ""
		if p.node > 0 {
			node = fmt.Sprintf("%s (%.2g ×)", micros(p.node), p.node/p.ours)
		}
		fmt.Fprintf(&t, "| %s | %s | %s | %s | %.0f, %.0f | %s |\n", p.name, micros(p.ours), micros(p.gnata), added, p.allocs, p.bases, node)
	}
	t.WriteString("\n" + rest)
	if err := replaceSection(comparisonDoc, speedBegin, speedEnd, t.String()); err != nil {
		b.Fatal(err)
	}
}

func micros(ns float64) string {
	if ns >= 1e6 {
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g µs", ns/1e3)
}

// replaceSection puts text between two marks of a file.
func replaceSection(file, begin, end, text string) error {
	doc, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for %s", file, begin)
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o600)
}
