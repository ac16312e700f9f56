package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// Formats of a result.
const (
	asTable = "table" // for people
	asJSON  = "json"
	asYAML  = "yaml"
	asName  = "name" // the names of what is listed or was made, one a line
)

// output is how a result is printed, as flags of every command say.
type output struct {
	quiet bool // neither progress nor traces

	format string
	json   bool   // --json, which is -o json
	field  string // a path to one value of the result
	query  string // JSONata on the result
	file   string // where it is written, instead of standard output
	color  string // auto, always or never
	lines  bool   // JSON is written on one line, as one of several values
}

func (o *output) addOutputFlags(p *pflag.FlagSet) {
	p.StringVarP(&o.format, "output", "o", asTable, "print the result as `FORMAT`: table, json, yaml or name")
	p.BoolVar(&o.json, "json", false, "same as -o json")
	p.StringVar(&o.field, "field", "", "print the value at `PATH` of the result, such as runs[0].run_id; a string has no quotes")
	p.StringVarP(&o.query, "query", "q", "", "print what a `JSONATA` expression selects from the result")
	p.StringVar(&o.file, "file", "", "write the result to `FILE` instead of standard output")
	p.BoolVar(&o.quiet, "quiet", false, "show neither progress nor the trace of a run, only results and errors")
	p.StringVar(&o.color, "color", "auto", "use colours `WHEN`: auto (at a terminal, unless NO_COLOR is set), always or never")
}

// checkOutput completes the settings, or says which of them is not one.
func (o *output) checkOutput() error {
	if o.json {
		o.format = asJSON
	}
	for _, f := range []struct {
		flag, value string
		of          []string
	}{
		{"--output", o.format, []string{asTable, asJSON, asYAML, asName}},
		{"--color", o.color, []string{"auto", "always", "never"}},
	} {
		if !slices.Contains(f.of, f.value) {
			return misuse(f.flag, fmt.Sprintf("unknown value %q", f.value), "use one of "+diag.OneOf(f.of, 9))
		}
	}
	if o.field != "" && o.query != "" {
		return misuse("--field", "--field and --query both select from the result", "use one of them")
	}
	return nil
}

// structured reports whether a program reads the result.
func (o *output) structured() bool { return o.format == asJSON || o.format == asYAML }

// forPeople reports whether a person reads the result.
func (o *output) forPeople() bool { return o.format == asTable && o.field == "" && o.query == "" }

// A result is what a command prints.
type result struct {
	value any             // as JSON
	text  func(*page)     // for people
	names func() []string // nil where nothing of it has a name
}

// print writes the result of a command, in the form that was asked for.
func (f *flags) print(cmd *cobra.Command, r result) error {
	newCommandWords(cmd).result(reflect.ValueOf(r.value))
	var b bytes.Buffer
	w := io.Writer(&b)
	if f.file == "" {
		w = cmd.OutOrStdout()
	}
	if err := f.write(cmd.Context(), w, r); err != nil || f.file == "" {
		return err
	}
	if err := files.Write(f.file, f.redactor.Load().RedactJSON(b.Bytes()), 0o644); err != nil {
		return unwritable("--file", err)
	}
	return nil
}

func (f *flags) write(ctx context.Context, w io.Writer, r result) error {
	switch {
	case f.field != "" || f.query != "":
		value, err := f.selected(ctx, r.value)
		if err != nil {
			return err
		}
		return f.writeValue(w, value)
	case f.structured():
		return f.writeValue(w, r.value)
	case f.format == asName:
		if r.names == nil {
			return misuse("--output", "the result of this command has no names", "use -o json, or --field for one value")
		}
		for _, name := range r.names() {
			fmt.Fprintln(w, diag.Visible(name))
		}
		return nil
	}
	r.text(f.page(w))
	return nil
}

// writeValue writes a value as JSON or YAML; a text that was selected, by itself.
func (f *flags) writeValue(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !f.lines {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(v); err != nil {
		return err
	}
	var text string
	switch {
	case f.field != "" && json.Unmarshal(b.Bytes(), &text) == nil:
		b.Reset()
		b.WriteString(text + "\n")
	case f.format == asYAML:
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
