package cli

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// A maskedWriter masks the operator's secrets in what the program prints, as soon as
// the configuration is known. Each text that may hold one must be written at once.
type maskedWriter struct {
	w        io.Writer
	redactor *atomic.Pointer[secrets.Redactor]
	visible  bool // people read it: characters that hide or forge text are escaped
	program  string
	width    func() int  // of the terminal that lines are wrapped for; nil for nothing
	failed   func(error) // called when a text could not be written; nil for nothing
}

// Write writes p, and says that all of it is written even if the masked text is
// shorter.
func (m *maskedWriter) Write(p []byte) (int, error) {
	text := m.redactor.Load().RedactJSON(p)
	if m.visible {
		text = []byte(named(m.program, diag.Visible(string(text))))
	}
	if m.width != nil {
		text = []byte(wrap(string(text), m.width()))
	}
	if _, err := io.WriteString(m.w, colored(string(text))); err != nil {
		if m.failed != nil {
			m.failed(err)
		}
		return 0, err
	}
	return len(p), nil
}

// isTerminal reports whether people read what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// unmasked is what a maskedWriter writes to: the MCP server masks its messages
// itself.
func unmasked(w io.Writer) io.Writer {
	if m, ok := w.(*maskedWriter); ok {
		return m.w
	}
	return w
}
