package web

import (
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// TestHintsForPeople: the page knows the names of all tools, which it leaves out of what it
// suggests to people.
func TestHintsForPeople(t *testing.T) {
	const file = "../../../ui/app/src/lib/hint.ts"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range app.Operations() {
		if strings.Contains(o.Tool, "_") && !strings.Contains(string(text), `"`+o.Tool+`"`) {
			t.Errorf("%s has no %q", file, o.Tool)
		}
	}
}
