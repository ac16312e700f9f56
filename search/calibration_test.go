package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
)

// An outcome is the first hit of a query.
type outcome struct {
	fit, confidence float64
	unsure, right   bool
}

// outcomes asks each query as it is, and once more with the tools that answer it left out.
func outcomes(t *testing.T, e *evalset.Set) (right, wrong, without []outcome) {
	t.Helper()
	x := New()
	x.Replace("corpus", e.Specs)
	ask := func(q evalset.Query, accept func(*specs.Spec) bool) outcome {
		_, r := resultIDs(t, x.Snapshot(), Query{Text: q.Text, Max: 1, Accept: accept})
		if len(r.Hits) == 0 {
			return outcome{}
		}
		return outcome{r.Hits[0].Score, r.Confidence, r.Unsure(), slices.Contains(q.Relevant, e.IDs[r.Hits[0].Spec])}
	}
	for _, q := range e.Queries {
		if o := ask(q, nil); o.right {
			right = append(right, o)
		} else {
			wrong = append(wrong, o)
		}
		without = append(without, ask(q, func(s *specs.Spec) bool { return !slices.Contains(q.Relevant, e.IDs[s]) }))
	}
	return right, wrong, without
}

// phraseSet is the phrases of testdata/search as a set.
func phraseSet(t *testing.T) *evalset.Set {
	t.Helper()
	e := &evalset.Set{IDs: map[*specs.Spec]string{}}
	for _, tools := range fixture(t) {
		e.Specs = append(e.Specs, tools...)
	}
	for _, s := range e.Specs {
		e.IDs[s] = s.ID()
	}
	for _, file := range []string{"short.txt", "phrases.txt"} {
		for _, p := range phrases(t, "../testdata/search/"+file) {
			e.Queries = append(e.Queries, evalset.Query{Text: p.text, Relevant: p.want})
		}
	}
	return e
}

func percentage(list []outcome, is func(outcome) bool) string {
	n := 0
	for _, o := range list {
		if is(o) {
			n++
		}
	}
	if len(list) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(len(list)))
}

// calibration is two tables of what scores and confidence say of first hits.
func calibration(t *testing.T) string {
	t.Helper()
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	var scores, bands strings.Builder
	s, b := &printer{w: &scores}, &printer{w: &bands}
	s.line("| first result | queries | score ≥ 0.3 | ≥ 0.5 | ≥ 0.7 | ≥ 0.9 | with the hint |")
	s.line("|---|---|---|---|---|---|---|")
	b.line("| confidence | <0.1 | 0.1-0.2 | 0.2-0.35 | 0.35-0.5 | 0.5-0.7 | 0.7-0.85 | >0.85 |")
	b.line("|---|---|---|---|---|---|---|---|")
	add := func(name string, right, wrong, without []outcome) {
		for _, kind := range []struct {
			name string
			list []outcome
		}{{"right", right}, {"wrong", wrong}, {"answers left out", without}} {
			row := []string{fmt.Sprintf("| %s, %s | %d |", name, kind.name, len(kind.list))}
			for _, least := range []float64{.3, .5, .7, .9} {
				row = append(row, percentage(kind.list, func(o outcome) bool { return o.fit >= least })+" |")
			}
			s.line("%s %s |", strings.Join(row, " "), percentage(kind.list, func(o outcome) bool { return o.unsure }))
		}
		row, all := []string{"| " + name + ", right |"}, slices.Concat(right, wrong, without)
		for i, bounds := 0, []float64{0, .1, .2, .35, .5, .7, .85, 2}; i < len(bounds)-1; i++ {
			in := slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return o.confidence < bounds[i] || o.confidence >= bounds[i+1] })
			row = append(row, fmt.Sprintf("%s of %d |", percentage(in, func(o outcome) bool { return o.right }), len(in)))
		}
		b.line("%s", strings.Join(row, " "))
	}
	var right, wrong, without []outcome
	for _, name := range names {
		r, w, o := outcomes(t, sets[name])
		right, wrong, without = append(right, r...), append(wrong, w...), append(without, o...)
	}
	add("sets", right, wrong, without)
	right, wrong, without = outcomes(t, phraseSet(t))
	add("phrases", right, wrong, without)
	return scores.String() + "\n" + bands.String()
}
