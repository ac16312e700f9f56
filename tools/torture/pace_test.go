package torture

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// referenceTime is about how long the check of 1,000 switches with 40 conditions takes on the
// machine of docs/measured/performance.md, which limits of work are given for. It was not measured
// there: it is half of what a machine needs that takes twice as long for BenchmarkCheck.
const referenceTime = 850 * time.Millisecond

// pace returns by how much longer than that machine this one takes for the same work, and
// at least 1: limits that bound work, and not time, are longer by that.
func (s *server) pace(ctx context.Context, t *testing.T) float64 {
	t.Helper()
	c, err := s.connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var each []time.Duration
	for seed := range uint64(5) {
		var b strings.Builder
		b.WriteString("nodes:\n  - {id: entry, type: entry, next: n0}\n")
		switches(&b, rand.New(rand.NewPCG(seed, 0)), 1000, 40)
		b.WriteString("  - {id: exit, type: exit}\n")
		got, took, err := c.call(ctx, "validate_graph", map[string]any{"graph": b.String()})
		if k := got.kind(); err != nil || k != "invalid" {
			t.Fatalf("the reference: %s, %v: %s", k, err, cut(string(got.text)))
		}
		each = append(each, took)
	}
	return max(1, float64(percentile(each, .5))/float64(referenceTime))
}
