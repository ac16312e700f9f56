package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// Formats of a result.
const (
	AsTable = "table" // for people
	AsJSON  = "json"
	AsYAML  = "yaml"
	AsName  = "name" // the names of what is listed or was made, one a line
)

// output is how a result is printed, as flags of every command say.
type output struct {
	Quiet bool // neither progress nor traces

	Format string
	json   bool   // --json, which is -o json
	Field  string // a path to one value of the result
	Query  string // JSONata on the result
	File   string // where it is written, instead of standard output
	color  string // auto, always or never
	Lines  bool   // JSON is written on one line, as one of several values
}

func (o *output) AddOutputFlags(p *pflag.FlagSet) {
	p.StringVarP(&o.Format, "output", "o", AsTable, "print the result as `FORMAT`: table, json, yaml or name")
	p.BoolVar(&o.json, "json", false, "same as -o json")
	p.StringVar(&o.Field, "field", "", "print the value at `PATH` of the result, such as runs[0].run_id; a string has no quotes")
	p.StringVarP(&o.Query, "query", "q", "", "print what a `JSONATA` expression selects from the result")
	p.StringVar(&o.File, "file", "", "write the result to `FILE` instead of standard output")
	p.BoolVar(&o.Quiet, "quiet", false, "show neither progress nor the trace of a run, only results and errors")
	p.StringVar(&o.color, "color", "auto", "use colours `WHEN`: auto (at a terminal, unless NO_COLOR is set), always or never")
}

// CheckOutput completes the settings, or says which of them is not one.
func (o *output) CheckOutput() error {
	if o.json {
		o.Format = AsJSON
	}
	for _, f := range []struct {
		flag, value string
		of          []string
	}{
		{"--output", o.Format, []string{AsTable, AsJSON, AsYAML, AsName}},
		{"--color", o.color, []string{"auto", "always", "never"}},
	} {
		if !slices.Contains(f.of, f.value) {
			return Misuse(f.flag, fmt.Sprintf("unknown value %q", f.value), "use one of "+diag.OneOf(f.of, 9))
		}
	}
	if o.Field != "" && o.Query != "" {
		return Misuse("--field", "--field and --query both select from the result", "use one of them")
	}
	return nil
}

// Structured reports whether a program reads the result.
func (o *output) Structured() bool { return o.Format == AsJSON || o.Format == AsYAML }

// ForPeople reports whether a person reads the result.
func (o *output) ForPeople() bool { return o.Format == AsTable && o.Field == "" && o.Query == "" }

// A Result is what a command prints.
type Result struct {
	Value any              // as JSON
	Text  func(*term.Page) // for people
	Names func() []string  // nil where nothing of it has a name
}

// Print writes the result of a command, in the form that was asked for.
func (f *Flags) Print(cmd *cobra.Command, r Result) error {
	NewWords(cmd).Result(reflect.ValueOf(r.Value))
	var b bytes.Buffer
	w := io.Writer(&b)
	if f.File == "" {
		w = cmd.OutOrStdout()
	}
	if err := f.write(cmd.Context(), w, r); err != nil || f.File == "" {
		return err
	}
	if err := files.Write(f.File, f.Redactor.Load().RedactJSON(b.Bytes()), 0o644); err != nil {
		return Unwritable("--file", err)
	}
	return nil
}

func (f *Flags) write(ctx context.Context, w io.Writer, r Result) error {
	switch {
	case f.Field != "" || f.Query != "":
		value, err := f.selected(ctx, r.Value)
		if err != nil {
			return err
		}
		return f.writeValue(w, value)
	case f.Structured():
		return f.writeValue(w, r.Value)
	case f.Format == AsName:
		if r.Names == nil {
			return Misuse("--output", "the result of this command has no names", "use -o json, or --field for one value")
		}
		for _, name := range r.Names() {
			fmt.Fprintln(w, diag.Visible(name))
		}
		return nil
	}
	r.Text(f.Page(w))
	return nil
}

// writeValue writes a value as JSON or YAML; a text that was selected, by itself.
func (f *Flags) writeValue(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !f.Lines {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(v); err != nil {
		return err
	}
	var text string
	switch {
	case f.Field != "" && json.Unmarshal(b.Bytes(), &text) == nil:
		b.Reset()
		b.WriteString(text + "\n")
	case f.Format == AsYAML:
		out, err := jsonToYAML(b.Bytes())
		if err != nil {
			return err
		}
		b = *bytes.NewBuffer(out)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// jsonToYAML writes JSON as YAML, with its keys in their order and its numbers digit by
// digit.
func jsonToYAML(text []byte) ([]byte, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, err
	}
	inBlocks(&n)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&n); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// yamlWords are texts that some reader of YAML takes for something else.
var yamlWords = []string{"yes", "no", "on", "off", "y", "n"}

// inBlocks gives a node the style that people write: a line for each item, and quotes
// only where they are needed.
func inBlocks(n *yaml.Node) {
	n.Style = 0
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
	case strings.Contains(n.Value, "\n"):
		n.Style = yaml.LiteralStyle
	case slices.Contains(yamlWords, strings.ToLower(n.Value)):
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		inBlocks(child)
	}
}

// Page returns w as a page, fitted to the terminal that it is.
func (f *Flags) Page(w io.Writer) *term.Page {
	p := &term.Page{Writer: w}
	if f.Cmd != nil && !f.Quiet {
		p.Notes = f.Cmd.ErrOrStderr()
	}
	terminal := term.IsTerminal(term.Unmasked(w))
	p.Width, _ = term.Size(w)
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 && (terminal || f.color == "always") {
		p.Width = columns
	}
	switch f.color {
	case "always":
		p.Color = true
	case "never":
	default:
		p.Color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}
