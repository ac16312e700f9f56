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

// bands are how likely the first hit is right, by confidence, as docs/search.md says.
var bands = []struct{ below, right float64 }{{.1, .08}, {.2, .2}, {.35, .33}, {.5, .43}, {.7, .65}, {.85, .8}, {2, .85}}

// TestConfidenceMeansWhatItSays asks the queries that were not used to choose anything, each
// also without the tools that answer it.
func TestConfidenceMeansWhatItSays(t *testing.T) {
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	var right, not []outcome
	for _, name := range names {
		r, w, o := outcomes(t, halfOf(sets[name], 1))
		right, not = append(right, r...), slices.Concat(not, w, o)
	}
	if a := auc(right, not); a < .75 {
		t.Errorf("the area under the curve is %.3f, want .75", a)
	}
	wrong := slices.DeleteFunc(slices.Clone(not), func(o outcome) bool { return o.fit < .9 })
	if len(wrong)*20 > len(not) {
		t.Errorf("%d of %d first hits that are not right score .9 or more, want at most 5 %%", len(wrong), len(not))
	}
	least := 0.
	for _, band := range bands {
		var in [2]float64
		for i, list := range [][]outcome{not, right} {
			for _, o := range list {
				if o.confidence >= least && o.confidence < band.below {
					in[i]++
				}
			}
		}
		if is := in[1] / (in[0] + in[1]); is < band.right-.1 || is > band.right+.1 {
			t.Errorf("with a confidence from %.2f to %.2f, %.2f of %.0f are right, want %.2f", least, band.below, is, in[0]+in[1], band.right)
		}
		least = band.below
	}
}

// auc is how often a right first hit has more confidence than one that is not.
func auc(yes, no []outcome) float64 {
	sum := 0.
	for _, a := range yes {
		for _, b := range no {
			switch {
			case a.confidence > b.confidence:
				sum++
			case a.confidence == b.confidence:
				sum += .5
			}
		}
	}
	return sum / float64(len(yes)*len(no))
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
