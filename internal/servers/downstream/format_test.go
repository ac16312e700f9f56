package downstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// Pins and logins of format 1 are read, and written in the present format.
func TestFormat1(t *testing.T) {
	p := &tooldef.Pins{File: inFile(t, "testdata/format1/pins.json")}
	if err := p.Load(); err != nil || p.State.Server != "s" || p.State.Tools["read"].Changes[0].How != "approved" {
		t.Fatalf("%v: %+v", err, p.State)
	}
	file := inFile(t, "testdata/format1/login.json")
	l, err := readLogin(file)
	if err != nil || l.Token.AccessToken != "token-a" || l.ClientID != "registered" {
		t.Fatalf("%v: %+v", err, l)
	}
	if err := p.Update(func() bool { return true }); err != nil {
		t.Fatal(err)
	}
	if err := l.write(file); err != nil {
		t.Fatal(err)
	}
	for _, written := range []string{p.File, file} {
		if b, err := os.ReadFile(written); err != nil || !strings.HasPrefix(string(b), `{"format":2,"content":{`) {
			t.Errorf("%v: %s", err, b)
		}
	}
	again := &tooldef.Pins{File: p.File}
	if err := again.Load(); err != nil || again.State.Tools["read"].Hash != "1" {
		t.Errorf("%v: %+v", err, again.State)
	}
	if l, err := readLogin(file); err != nil || l.Token.AccessToken != "token-a" {
		t.Errorf("%v: %+v", err, l)
	}
}

// Files of a later format are refused with what to do.
func TestLaterFormats(t *testing.T) {
	file := filepath.Join(t.TempDir(), "later.json")
	if err := os.WriteFile(file, []byte(`{"format": 99, "content": {"token": {}, "tools": {}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readLogin(file)
	for _, err := range []error{err, (&tooldef.Pins{File: file}).Load()} {
		if err == nil || !strings.Contains(err.Error(), "newer version") || !strings.Contains(err.Error(), "install") {
			t.Errorf("%v", err)
		}
	}
}

func inFile(t *testing.T, from string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(from))
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}
