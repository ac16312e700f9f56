package access_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// A file of tokens of format 1 lets the same clients in, and is of the present format once
// it is changed.
func TestFormat1(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	text, err := os.ReadFile("testdata/format1/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(text))
	tokens := access.Open(file)
	if who, err := tokens.Verify("pbt_of-format-1", start); err != nil || who.Principal != "token:ci" {
		t.Errorf("%+v, %v", who, err)
	}
	add(t, tokens, access.Token{Name: "other"})
	if b, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(b), "{\n  \"format\": 2,") {
		t.Errorf("%v: %s", err, b)
	}
	if who, err := access.Open(file).Verify("pbt_of-format-1", start); err != nil || who.Principal != "token:ci" {
		t.Errorf("%+v, %v", who, err)
	}
}

// A file of a later format lets nobody in, and stays as it is.
func TestLaterFormat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	const text = `{"format": 99, "tokens": {}}`
	write(t, file, text)
	tokens := access.Open(file)
	if _, err := tokens.Verify("pbt_x", start); err == nil {
		t.Error("a token is accepted")
	}
	_, fault := tokens.Add(access.Token{Name: "other", Rights: access.Rights{Scopes: []string{access.Read}}})
	if fault == nil || !strings.Contains(fault.Message, "newer version") || !strings.Contains(fault.Message, "install") {
		t.Errorf("%v", fault)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != text {
		t.Errorf("%v: %s", err, b)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
