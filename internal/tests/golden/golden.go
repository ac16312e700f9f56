// Package golden compares what the code says with a file that was read and
// accepted. Under the flag -update a test writes the file instead; a package whose
// tests import this one is among those that make generate runs.
//
// It imports nothing of ours, and only tests import it.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether the golden files are rewritten.
func Updating() bool { return *update }

// Check fails the test when the file at path does not hold got.
func Check(t testing.TB, path, got string) {
	t.Helper()
	check(t, path, got, *update)
}

func check(t testing.TB, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Error(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v (-update writes it)", err)
		return
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s has other contents (-want +got; -update writes it):\n%s", path, diff)
	}
}
