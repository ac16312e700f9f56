package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Bounds on the lines of a signature, in characters, and on how deep they spell out the
// fields of objects.
const (
	maxTypeText    = 300
	maxDefaultText = 40
	maxComment     = 80
	maxFormComment = 48 // next to the form of a value, which says most
	typeDepth      = 2
)

// TypedSignature is what one needs to write a call of a node, with a line for each
// parameter, the required ones first and marked with *:
//
//	list_files(
//	  path*: string // the folder to list
//	  sort: 'name'|'size' = "name"
//	) -> {files: {name: string, size: integer}[]}
//
// Of more than maxParameters the first are shown, and left says how many there are.
func TypedSignature(s *specs.Spec, seen *observed.Output) (text string, left int) {
	params := slices.Clone(s.Parameters)
	slices.SortStableFunc(params, func(a, b specs.Parameter) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	left = max(0, len(params)-MaxParameters)
	input := schema.Read(s.InputSchema)
	var b strings.Builder
	b.WriteString(plainName(SignatureName(s)) + "(")
	for _, p := range params[:len(params)-left] {
		b.WriteString("\n  " + parameterLine(p, input.Property(p.Name)))
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n  … %d more", left)
	}
	if len(params) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(")" + OutputText(s, seen))
	return b.String(), left
}

// SignatureName is the name by which people call a node.
func SignatureName(s *specs.Spec) string {
	if name := s.Tool(); name != "" {
		return name
	}
	return s.NodeType
}

// parameterLine describes a parameter, by its property of the schema if it has one.
func parameterLine(p specs.Parameter, property *schema.Node) string {
	var b strings.Builder
	b.WriteString(plainName(p.Name))
	if p.Required {
		b.WriteByte('*')
	}
	b.WriteString(": ")
	form, comment := "", p.Description
	switch {
	case property != nil:
		b.WriteString(SchemaText(property))
	case len(p.EnumValues) > 0:
		b.WriteString(choices(p.EnumValues))
	default:
		form, comment = parameterForm(p)
		b.WriteString(cmp.Or(form, p.Type, "any"))
	}
	if p.DefaultValue != nil {
		b.WriteString(" = " + diag.Cut(jsonText(p.DefaultValue), maxDefaultText))
	}
	if comment = diag.Cut(firstSentence(comment), maxComment); comment != "" && (form == "" || len(comment) <= maxFormComment) {
		b.WriteString(" // " + comment)
	}
	return b.String()
}

// parameterForm returns the form of a parameter where its description begins with it, and the
// rest of the description. Built-in kinds describe their fields as they are written:
// "retry: {maxAttempts: 3, unsafe: false}; a call that …".
func parameterForm(p specs.Parameter) (form, rest string) {
	text := strings.TrimPrefix(p.Description, p.Name+": ")
	depth := 0
	for i, r := range text {
		switch r {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		switch {
		case depth > 0:
		case i == 0 || i > maxTypeText:
			return "", text
		default:
			if rest = strings.TrimLeft(text[i+1:], ":;, "); strings.HasPrefix(rest, "{") { // there are several
				return "", text
			}
			return text[:i+1], rest
		}
	}
	return "", text
}

// OutputText is the output as a signature shows it: as the schema declares it, or as
// earlier results were.
func OutputText(s *specs.Spec, seen *observed.Output) string {
	switch {
	case len(s.OutputSchema) > 0:
		return " -> " + SchemaText(schema.Read(s.OutputSchema))
	case seen != nil:
		return " -> " + SchemaText(schema.Read(seen.Schema)) + " // as observed"
	case s.NodeType == specs.MCP:
		return " -> any // a call shows it"
	}
	ports := lists.Each(s.OutputPorts, func(p specs.Port) string { return plainName(p.Name) + ": " + p.Type })
	switch len(ports) {
	case 0:
		return ""
	case 1:
		return " -> " + s.OutputPorts[0].Type
	}
	return " -> ports {" + diag.Cut(strings.Join(ports, ", "), maxTypeText) + "}"
}

// firstSentence is the beginning of a description, without the period.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(FirstLine(text), "; ")
	return strings.TrimSuffix(text[:sentenceEnd(text, 0)], ".")
}

// FirstSentences are as many whole sentences of a description as have n characters, or
// the first n characters of the first.
func FirstSentences(text string, n int) string {
	text = FirstLine(text)
	end := sentenceEnd(text, 0)
	for next := end; next < len(text); {
		if next = sentenceEnd(text, next); next > n {
			break
		}
		end = next
	}
	return diag.Cut(text[:end], n)
}

// shortSentence is less than a sentence has: "Required." or "e.g."
const shortSentence = 12

// sentenceEnd is where the sentence ends that begins at an index.
func sentenceEnd(text string, from int) int {
	for at := from; ; {
		i := strings.Index(text[at:], ". ")
		if i < 0 {
			return len(text)
		}
		if at += i + 1; at-from > shortSentence && !strings.HasSuffix(text[:at], "e.g.") && !strings.HasSuffix(text[:at], "i.e.") {
			return at
		}
	}
}

// plainName writes a name as it is, or in quotes if it is not a plain one.
func plainName(name string) string {
	name = diag.Cut(name, maxComment)
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./$@…", r)
	}) {
		return strconv.Quote(name)
	}
	return name
}

// choices writes the values of an enum, the first of many.
func choices(values []any) string {
	var words []string
	size := 0
	for i, v := range values {
		word := literal(v)
		if size += len(word); i > 0 && size > maxComment {
			words = append(words, "…")
			break
		}
		words = append(words, word)
	}
	return strings.Join(words, "|")
}

// literal writes a value of an enum: a text in single quotes, which need no escape in
// the JSON of a reply.
func literal(v any) string {
	text, ok := v.(string)
	if !ok {
		return diag.Cut(jsonText(v), maxDefaultText)
	}
	return "'" + strings.ReplaceAll(diag.Cut(diag.OneLine(text), maxComment), "'", `\'`) + "'"
}

// jsonText is compact JSON in a line.
func jsonText(v any) string {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return "…"
	}
	return string(b)
}
