package execution

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Processes that start together sign links with one key, also where each has the same
// process id, as in containers.
func TestLinkKeyOfSeveralProcesses(t *testing.T) {
	for range 20 {
		file := filepath.Join(t.TempDir(), "state", "links.key")
		keys := make([][]byte, 8)
		var all sync.WaitGroup
		for i := range keys {
			all.Go(func() {
				key, err := loadOrCreateKey(file, bytes.Repeat([]byte{byte(i)}, keySize))
				if err != nil {
					t.Error(err)
				}
				keys[i] = key
			})
		}
		all.Wait()
		for _, key := range keys {
			if !bytes.Equal(key, keys[0]) {
				t.Fatalf("two keys: %x and %x", key, keys[0])
			}
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Fatalf("the file: %v, %v", info.Mode(), err)
		}
	}
}

// A link key that is damaged is not replaced: links that were sent would become void.
func TestDamagedLinkKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "links.key")
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadOrCreateKey(file, make([]byte, keySize)); err == nil {
		t.Error("a damaged key is used")
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "short" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

// Cases that two processes have run on one graph are all shared.
func TestCasesOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	key := passedKey{"me", sha256.Sum256(nil)}
	first, second := newPassedCases(dir, ""), newPassedCases(dir, "")
	first.add(key, PassedCase{ID: "a", Name: "first"})
	second.add(key, PassedCase{ID: "a", Name: "second"})
	second.add(key, PassedCase{ID: "b"})
	first.add(key, PassedCase{ID: "c"})
	second.share(key)
	first.share(key)
	second.share(key)
	names := map[string]string{}
	for _, c := range newPassedCases(dir, "").Get(key) {
		names[c.ID] = c.Name
	}
	if len(names) != 3 || names["a"] != "second" {
		t.Errorf("the cases are %v", names)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
