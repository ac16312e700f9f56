package transport

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

func TestLogIsMaskedAndBounded(t *testing.T) {
	l := &LogFile{Path: filepath.Join(t.TempDir(), "logs", "x.log"), Redact: strings.NewReplacer("sesame-opens", "***").Replace}
	read := func() string {
		b, err := os.ReadFile(l.Path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, part := range []string{"token ses", "ame-op", "ens\x1b[31m\nnext", " line\n", "unfinished"} {
		fmt.Fprint(l, part)
	}
	if got := read(); got != "token ***[31m\nnext line\n" {
		t.Errorf("the log is %q", got)
	}
	fmt.Fprint(l, strings.Repeat("x", maxLogLine)+"sesame-\nafter\n")
	if got := read(); !strings.HasSuffix(got, "(a line of more than 4 KiB is left out)\nafter\n") {
		t.Errorf("after a long line: %.80q", got)
	}
	for n := range 4000 {
		fmt.Fprintf(l, "line number %d%s\n", n, strings.Repeat(".", 100))
	}
	got := read()
	if len(got) > maxLog || !strings.Contains(got[len(got)-200:], "line number 3999.") || !strings.HasPrefix(got, "line number ") {
		t.Errorf("the log has %d bytes, from %.20q to %q", len(got), got, got[len(got)-20:])
	}
	if info, err := os.Stat(l.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// TestLogMasksAcrossLines writes secrets of several lines, and such that are wrapped over
// lines, in one piece and line by line.
func TestLogMasksAcrossLines(t *testing.T) {
	mask := secrets.NewRedactor([]secrets.Secret{{Name: "A", Value: "sesame-opens-the-door"}, {Name: "B", Value: "first line of key\nsecond line of key"}})
	l := &LogFile{Path: filepath.Join(t.TempDir(), "x.log"), Redact: mask.Redact}
	for _, part := range []string{"a sesame-opens\n-the-door b\n", "plain\n", "c sesame-opens\n", "-the-door d\n", "first line of key\nsecond line of key\n", "plain\n", "plain too\n"} {
		fmt.Fprint(l, part)
	}
	b, err := os.ReadFile(l.Path)
	want := "a ***\n*** b\nplain\nc ***\n*** d\n***\nplain\nplain too\n"
	if err != nil || string(b) != want {
		t.Errorf("%v: the log is %q, want %q", err, b, want)
	}
}
