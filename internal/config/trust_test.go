package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

const trusted = "servers: {a: {command: b}}\n"

func openTrust(t *testing.T) *config.Trust {
	t.Helper()
	dir := t.TempDir()
	return config.OpenTrust(func(name string) (string, bool) {
		if name == "XDG_STATE_HOME" || name == "LOCALAPPDATA" {
			return dir, true
		}
		return "", false
	})
}

// What was trusted in format 1, a map of hashes by path, is trusted, and written in the
// present format.
func TestTrustOfFormat1(t *testing.T) {
	trust := openTrust(t)
	path := filepath.Join(t.TempDir(), "patchbay.yaml")
	if err := trust.Add(config.AsConfiguration, path, trusted); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(trust.File())
	var written struct {
		Format  int
		Content map[string]string
	}
	if err != nil || json.Unmarshal(b, &written) != nil || written.Format != 2 || len(written.Content) != 1 {
		t.Fatalf("%v: %s", err, b)
	}
	text, err := json.Marshal(written.Content)
	if err == nil {
		err = os.WriteFile(trust.File(), text, 0o600)
	}
	if err != nil || !trust.Has(config.AsConfiguration, path, trusted) {
		t.Errorf("%v: a file of format 1 trusts nothing: %s", err, text)
	}
}

// A file of a later format trusts nothing and stays as it is.
func TestTrustOfALaterFormat(t *testing.T) {
	trust := openTrust(t)
	path := filepath.Join(t.TempDir(), "patchbay.yaml")
	if err := trust.Add(config.AsConfiguration, path, trusted); err != nil {
		t.Fatal(err)
	}
	const later = `{"format": 99, "content": {}}`
	if err := os.WriteFile(trust.File(), []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	if trust.Has(config.AsConfiguration, path, trusted) {
		t.Error("it trusts")
	}
	if err := trust.Add(config.AsConfiguration, path, trusted); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("%v", err)
	}
	if b, err := os.ReadFile(trust.File()); err != nil || string(b) != later {
		t.Errorf("%v: %s", err, b)
	}
}

// Processes that trust files at once forget none.
func TestTrustOfSeveralProcesses(t *testing.T) {
	dir := t.TempDir()
	environ := func(name string) (string, bool) {
		return dir, name == "XDG_STATE_HOME" || name == "LOCALAPPDATA"
	}
	path := func(i int) string { return filepath.Join(dir, strconv.Itoa(i), "patchbay.yaml") }
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := config.OpenTrust(environ).Add(config.AsConfiguration, path(i), trusted); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		if !config.OpenTrust(environ).Has(config.AsConfiguration, path(i), trusted) {
			t.Errorf("%s is not trusted", path(i))
		}
	}
}
