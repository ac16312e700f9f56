package search

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
)

// devSets is the folder of the development sets.
func devSets(t testing.TB) string {
	t.Helper()
	root := os.Getenv("PATCHBAY_TEST_DATA")
	if root == "" {
		t.Skip("PATCHBAY_TEST_DATA is not set: the development sets are missing")
	}
	dir := filepath.Join(root, "search-dev")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the development sets are missing: %v", err)
	}
	return dir
}

// TestQuality holds the ranking to what docs/measured/search.md promises.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := measure(t.Context(), sets, names, defaults)
	if err != nil {
		t.Fatal(err)
	}
	if n, r, noisy := mean(ours.ndcg5), mean(ours.recall10), mean(ours.noisy5); n < 64.5 || r < 77 || noisy < 60.5 {
		t.Errorf("nDCG@5 %.2f, recall@10 %.2f, nDCG@5 with letters changed %.2f; want 64.5, 77 and 60.5", n, r, noisy)
	}
	opt := defaults
	opt.classes, opt.correct = 0, 0
	without, err := measure(t.Context(), sets, names, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if ours.ndcg5[i] < without.ndcg5[i]-.5 || ours.recall10[i] < without.recall10[i]-.5 {
			t.Errorf("%s: word classes and correction lower it from %.1f to %.1f (recall@10 from %.1f to %.1f)", name, without.ndcg5[i], ours.ndcg5[i], without.recall10[i], ours.recall10[i])
		}
	}
}

// TestWeightsGainOnOtherQueries holds what was chosen on one half of the queries to what it
// gains on the other.
func TestWeightsGainOnOtherQueries(t *testing.T) {
	gains, table, err := halves(t.Context(), devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	if kept := gains[1]; kept[0] < .7 || kept[1] < .2 {
		t.Errorf("nDCG@5 gains %.2f and recall@10 %.2f, want .7 and .2:\n%s", kept[0], kept[1], table)
	}
}

// TestPunctuationChangesNothing asks every query of the sets with commas, brackets, quotes and
// operators that other search engines have.
func TestPunctuationChangesNothing(t *testing.T) {
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	dress := map[string]func([]string) string{
		"commas":           func(w []string) string { return strings.Join(w, ", ") },
		"operators":        func(w []string) string { return strings.Join(w, " AND ") },
		"lone marks":       func(w []string) string { return "- " + strings.Join(w, " / ") + " ." },
		"quotes, brackets": func(w []string) string { return `"(` + strings.Join(w, " ") + `)"` },
	}
	for _, name := range names {
		x := New()
		x.Replace("corpus", sets[name].Specs)
		for i, q := range sets[name].Queries {
			if i%5 > 0 {
				continue
			}
			var words []string
			for word := range runs(q.Text, isWord) {
				if lower := strings.ToLower(word); !joinsClauses[lower] && lower != "not" {
					words = append(words, word)
				}
			}
			want, _ := resultIDs(t, x.Snapshot(), Query{Text: strings.Join(words, " ")})
			for how, as := range dress {
				if got, _ := resultIDs(t, x.Snapshot(), Query{Text: as(words)}); !slices.Equal(got, want) {
					t.Errorf("%s, %s: %q finds %v, want %v", name, how, as(words), got, want)
				}
			}
		}
	}
}

// TestIdiomsCostNoQuality searches for tools where there are idioms too, as in every
// catalog.
func TestIdiomsCostNoQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	without, err := measure(t.Context(), sets, names, defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		set.Specs = append(set.Specs, slices.Concat(idioms.NewGuide(nil).Specs(), idioms.Specs())...)
	}
	with, err := measure(t.Context(), sets, names, defaults)
	if err != nil {
		t.Fatal(err)
	}
	const lost = .3
	for _, is := range []struct {
		name          string
		with, without []float64
	}{{"nDCG@5", with.ndcg5, without.ndcg5}, {"recall@10", with.recall10, without.recall10}, {"nDCG@5 with letters changed", with.noisy5, without.noisy5}} {
		t.Logf("%s: %.2f, without idioms %.2f", is.name, mean(is.with), mean(is.without))
		if mean(is.with) < mean(is.without)-lost {
			t.Errorf("%s: %.2f, without idioms %.2f", is.name, mean(is.with), mean(is.without))
		}
	}
}
