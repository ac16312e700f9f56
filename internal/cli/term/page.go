package term

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Page is where a result is written for people.
type Page struct {
	io.Writer
	Width int       // columns; 0 is any
	Color bool      // meaning is shown by colour, too
	Notes io.Writer // standard error, for what is not the result; nil if it is not wanted
}

// A Style is what a colour means.
type Style string

// What may be said in colour.
const (
	plain Style = ""
	Good  Style = "32" // green: it worked
	Bad   Style = "31" // red: it failed
	Doubt Style = "33" // yellow: somebody should look
	Faint Style = "2"  // of lesser interest
)

// Colours are written as marks that no other text can contain, and become escape
// sequences after everything else in a text that could steer a terminal was escaped.
var (
	markKey = "\uE000" + rand.Text() + ":"
	markEnd = "\uE001"
)

// Paint shows a text in a style.
func (p *Page) Paint(s Style, text string) string {
	if !p.Color || s == plain || text == "" {
		return text
	}
	return markKey + string(s) + markEnd + text + markKey + "0" + markEnd
}

// Visible returns the page with such characters escaped in all that is written.
func (p *Page) Visible() *Page {
	escaped := *p
	escaped.Writer = visibleWriter{p.Writer}
	return &escaped
}

type visibleWriter struct{ io.Writer }

func (w visibleWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, diag.Visible(string(p)))
	return len(p), err
}

// Prose returns the page with all that is written wrapped to its width.
func (p *Page) Prose() *Page {
	wrapped := *p
	wrapped.Writer = wrappedWriter{p.Writer, p.Width}
	return &wrapped
}

type wrappedWriter struct {
	io.Writer
	width int
}

func (w wrappedWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, Wrap(string(p), w.width))
	return len(p), err
}

// Cut shortens a line, as it will be shown, to the width of the page.
func (p *Page) Cut(line string) string {
	if p.Width == 0 {
		return line
	}
	return cutColumns(diag.Visible(line), p.Width)
}

var severityOf = regexp.MustCompile(`(?m)^([^\s].*?:\d+:\d+: )(error|warning|note)(: )`)

// Diagnostics writes rendered diagnostics, with their severities in colour.
func (p *Page) Diagnostics(text string) {
	text = diag.Visible(text) // it quotes the document, and reaches terminals by pipes and logs too
	if p.Color {
		styles := map[string]Style{"error": Bad, "warning": Doubt, "note": Faint}
		text = severityOf.ReplaceAllStringFunc(text, func(s string) string {
			m := severityOf.FindStringSubmatch(s)
			return m[1] + p.Paint(styles[m[2]], m[2]) + m[3]
		})
	}
	fmt.Fprint(p.Prose(), text)
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

// Size returns the columns and lines of the terminal that w writes to, 0 for none.
func Size(w io.Writer) (columns, lines int) {
	file, ok := Unmasked(w).(*os.File)
	if !ok || !IsTerminal(file) {
		return 0, 0
	}
	columns, lines, _ = term.GetSize(int(file.Fd()))
	return columns, lines
}

// Named writes texts in turn under their names, without those that are empty.
func (p *Page) Named(pairs ...string) {
	w := p.Prose()
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			fmt.Fprintf(w, "%-9s %s\n", pair[0], pair[1])
		}
	}
}
