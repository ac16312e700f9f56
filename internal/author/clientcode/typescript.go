package clientcode

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed runtime.ts
var typescriptRuntime string

// TypeScript returns a module with a function for each tool that is [Callable], grouped
// by server, and for each saved graph in graphs. It needs Node, Bun or Deno only; its
// types are those that Node strips by itself.
func TypeScript(tools []Tool) string {
	w := &typescriptWriter{}
	w.WriteString(typescriptRuntime)
	for _, g := range groups(tools) {
		w.WriteByte('\n')
		w.comment("", g.about)
		fmt.Fprintf(w, "export const %s = {\n", g.ident)
		for i := range g.functions {
			f := &g.functions[i]
			w.comment("  ", f.description)
			args := "args: " + f.args.typescript("  ", 0)
			if f.args.allOptional() {
				args += " = {}"
			}
			call := fmt.Sprintf("_tool(%s, %s, args)", quoted(f.server), quoted(f.name))
			if f.server == "" {
				call = fmt.Sprintf("_graph(%s, args)", quoted(f.name))
			}
			fmt.Fprintf(w, "  %s: (%s): Promise<%s> => %s,\n", f.ident, args, f.result.typescript("  ", 0), call)
		}
		w.WriteString("};\n")
	}
	return w.String()
}

type typescriptWriter struct{ strings.Builder }

// comment writes a documentation comment, which the text cannot end.
func (w *typescriptWriter) comment(indent, text string) {
	text = strings.ReplaceAll(text, "*/", `*\/`)
	switch lines := strings.Split(text, "\n"); {
	case text == "":
	case len(lines) == 1:
		fmt.Fprintf(w, "%s/** %s */\n", indent, text)
	default:
		fmt.Fprintf(w, "%s/**\n", indent)
		for _, line := range lines {
			fmt.Fprintf(w, "%s\n", strings.TrimRight(indent+" * "+line, " "))
		}
		fmt.Fprintf(w, "%s */\n", indent)
	}
}

const (
	maxLine = 100 // characters of an object type on one line
	within  = 1   // of a list, where a union needs parentheses
)

// typescript writes the type. Place is where it is written.
func (s *shape) typescript(indent string, place int) string {
	switch s.kind {
	case text:
		return "string"
	case number:
		return "number"
	case boolean:
		return "boolean"
	case null:
		return "null"
	case literal:
		return s.literal
	case list:
		return s.of[0].typescript(indent, within) + "[]"
	case object:
		return s.typescriptObject(indent)
	case union:
		names := make([]string, len(s.of))
		for i := range s.of {
			names[i] = s.of[i].typescript(indent, 0)
		}
		if all := strings.Join(names, " | "); place != within {
			return all
		}
		return "(" + strings.Join(names, " | ") + ")"
	}
	return "unknown"
}

func (s *shape) typescriptObject(indent string) string {
	if len(s.fields) == 0 {
		if s.rest == nil {
			return "Record<string, never>"
		}
		return "Record<string, " + s.rest.typescript(indent, 0) + ">"
	}
	deeper := indent + "  "
	members, documented := make([]string, 0, len(s.fields)+1), false
	for _, f := range s.fields {
		name := f.name
		if !plain(name) {
			name = quoted(name)
		}
		if f.optional {
			name += "?"
		}
		var w typescriptWriter
		w.comment(deeper, f.description)
		documented = documented || w.Len() > 0
		members = append(members, strings.TrimPrefix(w.String(), deeper)+strings.Repeat(deeper, min(1, w.Len()))+name+": "+f.shape.typescript(deeper, 0))
	}
	if s.rest != nil {
		members = append(members, "[name: string]: unknown")
	}
	if one := "{ " + strings.Join(members, "; ") + " }"; !documented && len(one) <= maxLine && !strings.Contains(one, "\n") {
		return one
	}
	return "{\n" + deeper + strings.Join(members, ";\n"+deeper) + ";\n" + indent + "}"
}

// plain reports whether a name needs no quotes as the name of a member.
func plain(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
