package formats_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

type counts = map[string]int

func shared(path string) *formats.Shared[counts] {
	return &formats.Shared[counts]{Path: path, Format: formats.Origins}
}

func add(t *testing.T, s *formats.Shared[counts], key string) {
	t.Helper()
	if err := s.Change(func(all *counts) {
		if *all == nil {
			*all = counts{}
		}
		(*all)[key]++
	}); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, s *formats.Shared[counts], want counts) {
	t.Helper()
	if got, err := s.Read(); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestSharedSeesWhatOthersChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "counts.json")
	mine, theirs := shared(path), shared(path)
	holds(t, mine, nil)
	add(t, mine, "a")
	add(t, theirs, "b")
	holds(t, mine, counts{"a": 1, "b": 1})
	add(t, theirs, "a")
	holds(t, mine, counts{"a": 2, "b": 1})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	holds(t, mine, nil)
}

func TestSharedInMemory(t *testing.T) {
	s := shared("")
	add(t, s, "a")
	before, _ := s.Read()
	add(t, s, "a")
	holds(t, s, counts{"a": 2})
	if before["a"] != 1 {
		t.Error("a value that was read has changed")
	}
}

func TestSharedKeepsWhatItCannotRead(t *testing.T) {
	for text, begins := range map[string]bool{"{": true, `{"format": 99, "content": {}}`: false} {
		path := filepath.Join(t.TempDir(), "counts.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := shared(path)
		if got, err := s.Read(); err == nil || got != nil {
			t.Errorf("%s: got %v, %v, want an error", text, got, err)
		}
		change := func(all *counts) { *all = counts{"a": 1} }
		if err := s.Change(change); err == nil {
			t.Errorf("%s is replaced", text)
		}
		s.Anew = true
		if err := s.Change(change); begins != (err == nil) {
			t.Errorf("%s: got %v, want that it begins anew: %v", text, err, begins)
		}
	}
}
