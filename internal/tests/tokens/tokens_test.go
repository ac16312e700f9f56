package tokens_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello world": 2, "search_nodes": 2} {
		if n, err := tokens.Count(text); err != nil || n != want {
			t.Errorf("%q: %d, %v, want %d", text, n, err, want)
		}
	}
	if n, err := tokens.CountJSON(map[string]int{"a": 1}); err != nil || n != 5 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := tokens.CountJSON(func() {}); err == nil {
		t.Error("a function has tokens")
	}
}

// The vocabulary has megabytes, which users need not download.
func TestTheProgramHasNoVocabulary(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/patchbay-mcp/patchbay/cmd/patchbay").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "tokenizer") || strings.Contains(string(out), "internal/tests/tokens") {
		t.Error("the program depends on the tokenizer")
	}
}
