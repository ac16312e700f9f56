package term

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// A MaskedWriter masks the operator's secrets in what the program prints, as soon as
// the configuration is known. Each text that may hold one must be written at once.
type MaskedWriter struct {
	W        io.Writer
	Redactor *atomic.Pointer[secrets.Redactor]
	Visible  bool                // people read it: characters that hide or forge text are escaped
	Named    func(string) string // names the program that runs in a text for people; nil for nothing
	Width    func() int          // of the terminal that lines are wrapped for; nil for nothing
	Failed   func(error)         // called when a text could not be written; nil for nothing
}

// Write writes p, and says that all of it is written even if the masked text is
// shorter.
func (m *MaskedWriter) Write(p []byte) (int, error) {
	text := m.Redactor.Load().RedactJSON(p)
	if m.Visible {
		text = []byte(diag.Visible(string(text)))
	}
	if m.Visible && m.Named != nil {
		text = []byte(m.Named(string(text)))
	}
	if m.Width != nil {
		text = []byte(Wrap(string(text), m.Width()))
	}
	if _, err := io.WriteString(m.W, colored(string(text))); err != nil {
		if m.Failed != nil {
			m.Failed(err)
		}
		return 0, err
	}
	return len(p), nil
}

// IsTerminal reports whether people read what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Unmasked is what a maskedWriter writes to: the MCP server masks its messages
// itself.
func Unmasked(w io.Writer) io.Writer {
	if m, ok := w.(*MaskedWriter); ok {
		return m.W
	}
	return w
}
