package ui_test

import (
	"regexp"
	"testing"

	"github.com/patchbay-mcp/patchbay/ui"
)

// TestApp: the page for clients of MCP is small and loads nothing.
func TestApp(t *testing.T) {
	page := ui.App()
	if most := 400_000; len(page) > most {
		t.Errorf("the page has %d bytes, more than %d", len(page), most)
	}
	if loads := regexp.MustCompile(`<(?:script|link|img)[^>]+(?:src|href)=`).FindString(page); loads != "" {
		t.Errorf("the page loads a file: %s", loads)
	}
}
