package search

import (
	"os"
	"path/filepath"
	"testing"
)

func devSets(t testing.TB) map[string]*evaluation {
	root := os.Getenv("PATCHBAY_TEST_DATA")
	if root == "" {
		t.Skip("PATCHBAY_TEST_DATA is not set: the development sets are missing")
	}
	dirs, _ := filepath.Glob(filepath.Join(root, "search-dev", "*", "corpus.jsonl"))
	sets := map[string]*evaluation{}
	for _, d := range dirs {
		dir := filepath.Dir(d)
		e, err := readEvaluation(dir)
		if err != nil {
			t.Fatal(err)
		}
		sets[filepath.Base(dir)] = e
	}
	return sets
}
