package search

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/idioms"
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

// TestQuality holds the ranking to what docs/search.md promises.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
	sets, names, err := readSets(devSets(t))
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

// TestIdiomsCostNoQuality searches for tools where there are idioms too, as in every
// catalog.
func TestIdiomsCostNoQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
	sets, names, err := readSets(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	without, err := measure(t.Context(), sets, names, defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		set.specs = append(set.specs, slices.Concat(idioms.NewGuide(nil).Specs(), idioms.Specs())...)
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

func TestEvaluateMeasuresAndDumps(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("corpus.jsonl", `{"id":"a","server":"s","name":"send_mail","description":"Sends mail","parameters":[{"name":"to","description":"recipient"}]}
{"id":"b","server":"s","name":"read_mail","description":"Reads mail","category":"Post","outputs":[{"name":"body","description":"text"}]}

{"id":"c","server":"t","name":"weather"}
`)
	write("queries.jsonl", `{"id":"1","text":"send mail","relevant":["a"]}
{"id":"2","text":"weather","relevant":["c"]}
{"id":"3","text":"read","relevant":["a","b"]}
`)
	var dump bytes.Buffer
	r, err := Evaluate(t.Context(), dir, &dump)
	if err != nil {
		t.Fatal(err)
	}
	// The third query finds one of its two: 1/(1+1/log2(3)) = 0.6131.
	if r.Tools != 3 || r.Queries != 3 || r.Recall5 != 83.33 || r.MRR != 100 || r.NDCG5 != 87.1 {
		t.Errorf("%+v", r)
	}
	lines := strings.Split(strings.TrimSpace(dump.String()), "\n")
	var first struct {
		ID     string
		Ranked []string
	}
	if len(lines) != 3 || json.Unmarshal([]byte(lines[0]), &first) != nil || first.ID != "1" || len(first.Ranked) != 2 || first.Ranked[0] != "a" {
		t.Errorf("dump:\n%s", dump.String())
	}

	for name, text := range map[string]string{
		"relevant id \"x\" is not in":  `{"id":"1","text":"q","relevant":["x"]}`,
		"queries.jsonl:1":              `{"id":`,
		"query \"1\" has no relevant":  `{"id":"1","text":"q"}`,
		"queries.jsonl:2: query \"2\"": "{\"id\":\"1\",\"text\":\"q\",\"relevant\":[\"a\"]}\n{\"id\":\"2\"}",
	} {
		write("queries.jsonl", text)
		if _, err := Evaluate(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Evaluate(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("an empty folder is evaluated")
	}
}
