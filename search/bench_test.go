package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// BenchmarkSearch reports the 95th percentile of processor time beside the mean.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			x := loaded(synthetic(n))
			for _, words := range []int{3, 10} {
				b.Run(fmt.Sprintf("words=%d/scan", words), func(b *testing.B) { searches(b, exact(x.Snapshot()), words) })
				if x.Snapshot().base != nil {
					b.Run(fmt.Sprintf("words=%d/bleve", words), func(b *testing.B) { searches(b, x.Snapshot(), words) })
				}
			}
		})
	}
}

func searches(b *testing.B, snap *Snapshot, words int) {
	qs := questions(200, words)
	var took []time.Duration
	i := 0
	for b.Loop() {
		took = append(took, threadCPU(func() {
			if _, err := snap.Search(b.Context(), Query{Text: qs[i%len(qs)]}); err != nil {
				b.Error(err)
			}
		}))
		i++
	}
	slices.SortFunc(took, cmp.Compare)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

// BenchmarkTwoSearchers reports how much longer two searchers at once take than
// one alone for the same queries each, on the clock: the least of many rounds, in
// turns, so that both meet the same machine. It says something where two
// processors are free.
func BenchmarkTwoSearchers(b *testing.B) {
	x := loaded(synthetic(10_000))
	for b.Loop() {
		b.ReportMetric(togetherOverAlone(b, x), "times-one-alone")
	}
}

// togetherOverAlone is that ratio.
func togetherOverAlone(t testing.TB, x *Index) float64 {
	least := [3]time.Duration{}
	for range 200 {
		for _, searchers := range []int{1, 2} {
			began := time.Now()
			searchAll(t, x, searchers)
			if took := time.Since(began); least[searchers] == 0 || took < least[searchers] {
				least[searchers] = took
			}
		}
	}
	return least[2].Seconds() / least[1].Seconds()
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		all := synthetic(n)
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			for b.Loop() {
				loaded(all)
			}
		})
	}
}

func BenchmarkReplace(b *testing.B) {
	all := synthetic(10_000)
	x := loaded(all)
	server := sortedKeys(all)[0]
	for b.Loop() {
		x.Replace("server:"+server, all[server])
	}
}
