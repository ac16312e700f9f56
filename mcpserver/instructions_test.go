package mcpserver

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// A program of another name says so in the instructions, because replies have commands of
// patchbay.
func TestInstructionsNameTheProgram(t *testing.T) {
	said := func(o Options) string { return attach(t, New(app.New(app.Options{}), o), nil).instructions }
	own := said(Options{})
	if got := said(Options{Program: "patchbay"}); got != own {
		t.Errorf("instructions %q, want %q", got, own)
	}
	const sentence = "The program of this server is patchbay-temporal: a person types that where a reply has a command of patchbay."
	if got, want := said(Options{Program: "patchbay-temporal"}), own+"\n"+sentence; got != want {
		t.Errorf("instructions %q, want %q", got, want)
	}
	if got := said(Options{Program: "patchbay-temporal", Instructions: "Orders."}); got != "Orders.\n"+sentence {
		t.Errorf("instructions %q", got)
	}
	if got := said(Options{Program: "patchbay-temporal", ToolsOnly: true}); !strings.HasSuffix(got, sentence) {
		t.Errorf("instructions %q", got)
	}
}
