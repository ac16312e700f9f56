package cli

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/run"
)

// What people read shows control characters as escapes; what a program reads is
// exact. Both are without secrets.
func TestMaskedWriter(t *testing.T) {
	var redactor atomic.Pointer[secrets.Redactor]
	redactor.Store(secrets.NewRedactor(secrets.Named("", "open-sesame")))
	for visible, want := range map[bool]string{true: "*** \\u001b[2J\\u202e\n", false: "*** \x1b[2J\u202e\n"} {
		var out strings.Builder
		w := &term.MaskedWriter{W: &out, Redactor: &redactor, Visible: visible}
		if n, err := w.Write([]byte("open-sesame \x1b[2J\u202e\n")); err != nil || n != 20 {
			t.Errorf("wrote %d: %v", n, err)
		}
		if out.String() != want {
			t.Errorf("visible %v: %q", visible, out.String())
		}
	}
}

// A call of unknown outcome is shown as it was sent, without secrets.
func TestUnknownCallsAreMasked(t *testing.T) {
	var redactor atomic.Pointer[secrets.Redactor]
	redactor.Store(secrets.NewRedactor(secrets.Named("", "open-sesame")))
	var out strings.Builder
	printRecord(&term.Page{Writer: &term.MaskedWriter{W: &out, Redactor: &redactor}}, &execution.GetRunResult{UnknownCalls: []run.Called{
		{Step: "send#0", Server: "mail", Tool: "send", Arguments: json.RawMessage(`{"token":"open-sesame"}`), Idempotency: "k1"},
		{Step: "pay#0", Server: "bank", Tool: "pay", Arguments: json.RawMessage(`{}`), Completed: true, Failure: "open-sesame is too large"},
	}, Hint: "decide"})
	want := "outcome unknown (send#0): mail/send {\"token\":\"***\"}\n  idempotency key: k1\ncompleted without a result (pay#0): bank/pay {}\n  failure: *** is too large\nhint: decide\n"
	if _, shown, _ := strings.Cut(out.String(), "node executions\n"); shown != want {
		t.Errorf("shown as %q", shown)
	}
}
