package observed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was learned in format 1 is known, and written in the present format.
func TestFormat1(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "observed-p.json")
	text, err := os.ReadFile("testdata/format1/observed-p.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := Open(dir, "p", nil, func() {})
	if got := o.Of(tool("t")); got == nil || got.Samples != 2 {
		t.Fatalf("got %+v", got)
	}
	o.Add(tool("t"), value(t, `{"a": 1, "b": "x"}`))
	o.Close()
	if b, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(b), `{"format":2,`) {
		t.Errorf("%v: %s", err, b)
	}
	if got := Open(dir, "p", nil, nil).Of(tool("t")); got == nil || got.Samples != 3 {
		t.Errorf("got %+v", got)
	}
}

// A file of a later format teaches nothing and stays as it is.
func TestLaterFormat(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "observed-p.json")
	const later = `{"format":99,"content":{"mcp:s/t@1":{"samples":2,"schema":{}}}}`
	if err := os.WriteFile(file, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Open(dir, "p", nil, func() {})
	if got := o.Of(tool("t")); got != nil {
		t.Errorf("it taught %+v", got)
	}
	o.Add(tool("t"), value(t, `{"a": 1}`))
	if o.Of(tool("t")) == nil {
		t.Error("nothing is learned in memory")
	}
	o.Close()
	if b, err := os.ReadFile(file); err != nil || string(b) != later {
		t.Errorf("%v: %s", err, b)
	}
}
