package ui_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/patchbay-mcp/patchbay/ui"
)

// TestApp: the page for clients of MCP is the one that was built, small, and loads nothing.
func TestApp(t *testing.T) {
	built, err := os.ReadFile("dist-app/graph.html")
	if err != nil {
		t.Fatal(err)
	}
	page := ui.App()
	if page != string(built) {
		t.Error("dist-app/graph.html.gz is not dist-app/graph.html: run make ui")
	}
	if most := 400_000; len(page) > most {
		t.Errorf("the page has %d bytes, more than %d", len(page), most)
	}
	if loads := regexp.MustCompile(`<(?:script|link|img)[^>]+(?:src|href)=`).FindString(page); loads != "" {
		t.Errorf("the page loads a file: %s", loads)
	}
}
