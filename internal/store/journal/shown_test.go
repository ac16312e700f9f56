package journal

import (
	"path/filepath"
	"slices"
	"testing"
)

// What is believed is what was shown: a run that changes in between stays as it is.
func TestOnlyWhatWasShownIsTrusted(t *testing.T) {
	source := filepath.Join(t.TempDir(), "runs.db")
	written(t, source)
	for _, change := range []string{
		"UPDATE runs SET source_text = 'other' WHERE id = 'a'",
		"UPDATE runs SET arguments = '{}' WHERE id = 'a'",
		"UPDATE runs SET result = '1' WHERE id = 'a'",
		"UPDATE steps SET node = 'other' WHERE at < 4294967296 * 2",
		"UPDATE intents SET outcome = '{\"action\":\"accept\"}' WHERE run = 1 AND kind = 'held'",
		"DELETE FROM runs WHERE id = 'a'",
	} {
		path := copied(t, source)
		j := open(t, path, &Options{Key: []byte("another")})
		shown, err := j.Unverified()
		if err != nil || len(shown) != 2 || len(shown[0].Arguments) == 0 {
			t.Fatal(shown, err)
		}
		if err := tryFile(path, change); err != nil {
			t.Fatal(change, err)
		}
		changed, err := j.Trust(shown)
		if err != nil || !slices.Equal(changed, []string{"a"}) {
			t.Errorf("%s: changed are %v, %v", change, changed, err)
		}
		if r, err := j.Load(operator, "a"); err == nil && r.Unverified == nil {
			t.Errorf("%s: it is believed", change)
		}
		if r, err := j.Load(operator, "b"); err != nil || r.Unverified != nil {
			t.Errorf("%s: the other run: %v", change, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
