package cli

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A page is where a result is written for people.
type page struct {
	io.Writer
	width int       // columns; 0 is any
	color bool      // meaning is shown by colour, too
	notes io.Writer // standard error, for what is not the result; nil if it is not wanted
}

// A style is what a colour means.
type style string

const (
	plain style = ""
	good  style = "32" // green: it worked
	bad   style = "31" // red: it failed
	doubt style = "33" // yellow: somebody should look
	faint style = "2"  // of lesser interest
)

// Colours are written as marks that no other text can contain, and become escape
// sequences after everything else in a text that could steer a terminal was escaped.
var (
	markKey = "\uE000" + rand.Text() + ":"
	markEnd = "\uE001"
)

// paint shows a text in a style.
func (p *page) paint(s style, text string) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return markKey + string(s) + markEnd + text + markKey + "0" + markEnd
}

// visibly has a result printed on a page that escapes what could hide or forge text also
// outside of a terminal, too: others have written it.
func visibly(print func(*invocation, *page)) func(*invocation, *page) {
	return func(i *invocation, w *page) { print(i, w.visible()) }
}

// visible returns the page with such characters escaped in all that is written.
func (p *page) visible() *page {
	escaped := *p
	escaped.Writer = visibleWriter{p.Writer}
	return &escaped
}

type visibleWriter struct{ io.Writer }

func (w visibleWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, diag.Visible(string(p)))
	return len(p), err
}

// prose returns the page with all that is written wrapped to its width.
func (p *page) prose() *page {
	wrapped := *p
	wrapped.Writer = wrappedWriter{p.Writer, p.width}
	return &wrapped
}

type wrappedWriter struct {
	io.Writer
	width int
}

func (w wrappedWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, wrap(string(p), w.width))
	return len(p), err
}

// cut shortens a line, as it will be shown, to the width of the page.
func (p *page) cut(line string) string {
	if p.width == 0 {
		return line
	}
	return cutColumns(diag.Visible(line), p.width)
}

var severityOf = regexp.MustCompile(`(?m)^([^\s].*?:\d+:\d+: )(error|warning|note)(: )`)

// diagnostics writes rendered diagnostics, with their severities in colour.
func (p *page) diagnostics(text string) {
	text = diag.Visible(text) // it quotes the document, and reaches terminals by pipes and logs too
	if p.color {
		styles := map[string]style{"error": bad, "warning": doubt, "note": faint}
		text = severityOf.ReplaceAllStringFunc(text, func(s string) string {
			m := severityOf.FindStringSubmatch(s)
			return m[1] + p.paint(styles[m[2]], m[2]) + m[3]
		})
	}
	fmt.Fprint(p.prose(), text)
}

// colored replaces the marks of paint by escape sequences.
func colored(text string) string {
	if !strings.Contains(text, markKey) {
		return text
	}
	parts := strings.Split(text, markKey)
	var b strings.Builder
	b.WriteString(parts[0])
	for _, part := range parts[1:] {
		code, rest, _ := strings.Cut(part, markEnd)
		b.WriteString("\x1b[" + code + "m" + rest)
	}
	return b.String()
}

// page returns w as a page, fitted to the terminal that it is.
func (f *flags) page(w io.Writer) *page {
	p := &page{Writer: w}
	if f.cmd != nil && !f.quiet {
		p.notes = f.cmd.ErrOrStderr()
	}
	terminal := isTerminal(unmasked(w))
	if terminal {
		if file, ok := unmasked(w).(*os.File); ok {
			p.width, _, _ = term.GetSize(int(file.Fd()))
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 && (terminal || f.color == "always") {
		p.width = columns
	}
	switch f.color {
	case "always":
		p.color = true
	case "never":
	default:
		p.color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}
