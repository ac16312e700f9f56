package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		if err := play(context.Background(), role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(testenv.Home(m).Run())
}

// The pages say what a run of the program measures. Times differ from run to run. The
// rows of 1,000 items are written, and not measured again: those of fewer items change
// with them.
func TestPagesAreCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("what is counted does not depend on races")
	}
	sizes := []int{1, 10, 100}
	if golden.Updating() {
		sizes = append(sizes, 1000)
	}
	f, err := measureAll(t.Context(), sizes)
	if err != nil {
		t.Fatal(err)
	}
	const root = "../.."
	if golden.Updating() {
		if err := f.write(root); err != nil {
			t.Fatal(err)
		}
	}
	for page, text := range map[string]string{"README.md": f.summary(), "docs/measured/value.md": f.table() + f.written()} {
		is, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(text) {
			if !strings.Contains(string(is), row) {
				t.Errorf("%s does not have this row (-update writes it):\n%s", page, row)
			}
		}
	}
	for _, m := range f.Measures {
		if m.Direct.Tokens < m.Script.Tokens {
			t.Errorf("%s of %d items: calls cost less than a script, which README.md denies", m.Task, m.Items)
		}
	}
	if f.Killed.Saved != 0 || f.Killed.Script == 0 {
		t.Errorf("written twice: %+v", f.Killed)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 49084: "49,084", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
