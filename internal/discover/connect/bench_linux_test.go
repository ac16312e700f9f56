package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// BenchmarkFind searches 10,000 tools for each pair in turn. What feeds an argument is found
// once, so the first round takes longer than the others; the figures are of both, in processor
// time.
func BenchmarkFind(b *testing.B) {
	list := many(b, 10_000)
	x := New(nil, list, none)
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			x = New(nil, list, none)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			x = New(x, list, none)
		}
	})
	pairs := searchdata.Pairs(b, "../../../testdata/search/pairs.txt")
	b.Run("find", func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			p := pairs[i%len(pairs)]
			has, wants := data(b, string(p.Has), false), data(b, string(p.Wants), true)
			began := processorTime(b)
			x.Find(b.Context(), has, wants, all, even)
			took = append(took, processorTime(b)-began)
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
	})
}

// processorTime is that of the process so far.
func processorTime(t testing.TB) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// many is the tools of typed.txt on as many servers as give n tools, each with words of its
// own in half of its names.
func many(t testing.TB, n int) []*specs.Spec {
	tools := searchdata.TypedTools(t, "../../../testdata/search/typed.txt")
	r := rand.New(rand.NewPCG(1, 2))
	var list []*specs.Spec
	for copies := 0; len(list) < n; copies++ {
		for _, tool := range tools {
			one := tool
			if copies > 0 {
				rename := func(raw json.RawMessage) json.RawMessage {
					return regexp.MustCompile(`"([a-z_]+)":\{`).ReplaceAllFunc(raw, func(m []byte) []byte {
						if r.IntN(2) == 0 || bytes.Contains(m, []byte(`"properties"`)) || bytes.Contains(m, []byte(`"items"`)) {
							return m
						}
						return fmt.Appendf(nil, `"%s_%s":{`, m[1:len(m)-3], string(rune('a'+r.IntN(26)))+string(rune('a'+r.IntN(26))))
					})
				}
				one.Server, one.Name = fmt.Sprintf("%s%d", tool.Server, copies), fmt.Sprintf("%s_%d", tool.Name, r.IntN(40))
				one.Input, one.Output = rename(tool.Input), rename(tool.Output)
			}
			list = append(list, one.Spec())
		}
	}
	return list[:n]
}
