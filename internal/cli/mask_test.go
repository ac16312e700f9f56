package cli

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// What people read shows control characters as escapes; what a program reads is
// exact. Both are without secrets.
func TestMaskedWriter(t *testing.T) {
	var redactor atomic.Pointer[secrets.Redactor]
	redactor.Store(secrets.NewRedactor(secrets.Named("", "open-sesame")))
	for visible, want := range map[bool]string{true: "*** \\u001b[2J\\u202e\n", false: "*** \x1b[2J\u202e\n"} {
		var out strings.Builder
		w := &maskedWriter{&out, &redactor, visible}
		if n, err := w.Write([]byte("open-sesame \x1b[2J\u202e\n")); err != nil || n != 20 {
			t.Errorf("wrote %d: %v", n, err)
		}
		if out.String() != want {
			t.Errorf("visible %v: %q", visible, out.String())
		}
	}
}
