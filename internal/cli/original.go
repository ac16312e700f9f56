package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// maxOriginals bounds how many earlier texts of a file are kept next to it.
const maxOriginals = 1000

// keepOriginal writes the text of a file that is about to be rewritten next to it, unless
// git tracks the file, and returns where. It replaces no earlier text: after name.orig
// come name.orig2, name.orig3 and so on. A text that is already kept is not written again.
func keepOriginal(ctx context.Context, path string) (kept string, err error) {
	if tracked(ctx, path) {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	for i := range maxOriginals {
		kept = path + ".orig"
		if i > 0 {
			kept += strconv.Itoa(i + 1)
		}
		if earlier, err := os.ReadFile(kept); err == nil && bytes.Equal(earlier, text) {
			return kept, nil
		}
		switch err := writeNew(kept, text, info.Mode().Perm()); {
		case err == nil:
			return kept, nil
		case !os.IsExist(err):
			return "", err
		}
	}
	return "", fmt.Errorf("%s is not rewritten: %d earlier texts are kept next to it, the last in %s", path, maxOriginals, kept)
}

// writeNew writes a file that does not exist yet.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// tracked reports whether git tracks a file. Without git, none is. The configuration of
// the repository must not start programs.
func tracked(ctx context.Context, path string) bool {
	git := exec.CommandContext(ctx, "git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-C", filepath.Dir(path), "ls-files", "--error-unmatch", "--", filepath.Base(path))
	return git.Run() == nil
}

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
