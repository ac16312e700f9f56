package cli

import (
	"strings"
	"sync"
	"testing"
)

// patchbay executes a command in this process and returns its exit code and all that it
// printed.
func patchbay(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out sharedText
	return Execute(t.Context(), args, strings.NewReader(""), &out, &out), out.String()
}

// A sharedText is what several goroutines write.
type sharedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *sharedText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sharedText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
