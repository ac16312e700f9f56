package cli

import (
	"io"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// A maskedWriter masks the operator's secrets in what the program prints, as soon as
// the configuration is known. Each text that may hold one must be written at once.
type maskedWriter struct {
	w        io.Writer
	redactor *atomic.Pointer[secrets.Redactor]
}

// Write writes p, and says that all of it is written even if the masked text is
// shorter.
func (m *maskedWriter) Write(p []byte) (int, error) {
	if _, err := m.w.Write(m.redactor.Load().RedactJSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unmasked is what a maskedWriter writes to: the MCP server masks its messages
// itself.
func unmasked(w io.Writer) io.Writer {
	if m, ok := w.(*maskedWriter); ok {
		return m.w
	}
	return w
}
