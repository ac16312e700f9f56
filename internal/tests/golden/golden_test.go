package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A note of what a test reports.
type note struct {
	testing.TB
	said []string
}

func (n *note) Helper()           {}
func (n *note) Error(args ...any) { n.said = append(n.said, fmt.Sprint(args...)) }
func (n *note) Errorf(format string, args ...any) {
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.golden")
	reports := func(got string, update bool) string {
		n := &note{TB: t}
		check(n, path, got, update)
		return strings.Join(n.said, "\n")
	}
	if said := reports("one\n", false); !strings.Contains(said, "-update") {
		t.Errorf("of a file that is not there: %q", said)
	}
	if said := reports("one\n", true); said != "" {
		t.Errorf("while writing: %s", said)
	}
	if b, err := os.ReadFile(path); string(b) != "one\n" || err != nil {
		t.Errorf("written is %q, %v", b, err)
	}
	if said := reports("one\n", false); said != "" {
		t.Errorf("of a current file: %s", said)
	}
	if said := reports("two\n", false); !strings.Contains(said, "two") || !strings.Contains(said, path) {
		t.Errorf("of another text: %q", said)
	}
	if said := reports("one\n", false); said != "" {
		t.Errorf("comparing has changed the file: %s", said)
	}
	path = filepath.Join(path, "below")
	if said := reports("one\n", true); said == "" {
		t.Error("a file that cannot be written is not reported")
	}
}
