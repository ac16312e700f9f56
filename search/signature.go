package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// optionalShown is how many optional parameters a signature names, and
// outputsShown how many fields of the output.
const (
	optionalShown = 6
	outputsShown  = 6
)

// Signature is a spec's inputs and output in one line,
//
//	list_directory(path*: string, depth: integer) -> {content: string}
//
// where * marks what is required, and what takes any value has no type. Required parameters come first; after six
// optional ones, "…" replaces the rest. The arrow is left out when the output
// is not known.
func Signature(s *specs.Spec) string {
	var b strings.Builder
	name := cmp.Or(s.Tool(), s.NodeType)
	b.WriteString(name)
	b.WriteByte('(')
	params := slices.Clone(s.Parameters)
	slices.SortStableFunc(params, func(x, y specs.Parameter) int { return rankRequired(x) - rankRequired(y) })
	optional := 0
	for i, p := range params {
		if !p.Required {
			optional++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if optional > optionalShown {
			b.WriteString("…")
			break
		}
		b.WriteString(p.Name)
		if p.Required {
			b.WriteByte('*')
		}
		b.WriteString(typed(parameterType(p)))
	}
	b.WriteByte(')')
	if out := outputName(s); out != "" && out != anything {
		b.WriteString(" -> ")
		b.WriteString(out)
	}
	return diag.OneLine(b.String())
}

// typed is the type after a name, nothing where every value fits.
func typed(name string) string {
	if name == "" || name == anything {
		return ""
	}
	return ": " + name
}

// Title is what people call a node, "" where that says no more than its name.
func Title(s *specs.Spec) string {
	name := cmp.Or(s.Tool(), s.NodeType)
	if calling(s.Title) == calling(name) {
		return ""
	}
	return diag.Cut(diag.OneLine(s.Title), maxTitle)
}

// maxTitle is how many characters of a title are shown.
const maxTitle = 60

func rankRequired(p specs.Parameter) int {
	if p.Required {
		return 0
	}
	return 1
}

func parameterType(p specs.Parameter) string {
	if e := enumName(p.EnumValues); e != "" {
		return e
	}
	return p.Type
}

// outputName is the output as a signature shows it, or "" when it is unknown.
func outputName(s *specs.Spec) string {
	if len(s.OutputSchema) == 0 {
		if len(s.OutputPorts) == 0 || s.NodeType == specs.MCP {
			return ""
		}
		var names []string
		for _, p := range s.OutputPorts {
			names = append(names, p.Name)
		}
		if len(names) > outputsShown {
			names = append(names[:outputsShown], "…")
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	output := schema.Read(s.OutputSchema)
	var fields []string
	for name, field := range output.Properties() {
		if len(fields) == outputsShown {
			fields = append(fields, "…")
			break
		}
		fields = append(fields, name+typed(typeName(field)))
	}
	if len(fields) > 0 {
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return typeName(output)
}
