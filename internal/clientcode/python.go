package clientcode

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed runtime.py
var pythonRuntime string

const pythonKeywords = `
	False None True and as assert async await break class continue def del elif else except finally for from global
	if import in is lambda nonlocal not or pass raise return try while with yield`

// Builtins are reserved too: annotations below a function called list would mean it.
const pythonBuiltins = ` bool dict float int list object staticmethod str`

var python = &dialect{word: snake, reserved: setOf(pythonKeywords + pythonBuiltins + ` close start`), members: setOf(pythonKeywords + pythonBuiltins)}

// Python returns a module with a class of functions for each server and a class graphs
// for saved graphs, for the tools that are [Callable]. It needs Python 3.11 only.
func Python(tools []Tool) string {
	w := &pythonWriter{types: python.global("PatchbayError")}
	for _, g := range python.groups(tools) {
		w.group(g)
	}
	return pythonRuntime + w.declared.String() + w.calls.String()
}

type pythonWriter struct {
	types    *nameSet
	declared strings.Builder // the types of objects
	calls    strings.Builder // the classes of functions
}

func (w *pythonWriter) group(g group) {
	fmt.Fprintf(&w.calls, "\n\nclass %s:\n%s\n", g.ident, docstring("    ", g.about))
	for i := range g.functions {
		w.function(g.ident, &g.functions[i])
	}
}

func (w *pythonWriter) function(owner string, f *function) {
	name := pascal(owner) + pascal(f.name)
	var parameters, given []string
	about := []string{f.description}
	idents := python.member()
	for _, optional := range []bool{false, true} {
		for _, a := range f.args.fields {
			if a.optional != optional {
				continue
			}
			ident := idents.add(a.name)
			parameter := ident + ": " + w.typed(&a.shape, name+pascal(a.name))
			if optional {
				parameter += " = _UNSET"
			}
			parameters, given = append(parameters, parameter), append(given, quoted(a.name)+": "+ident)
			if a.description != "" {
				about = append(about, ident+": "+a.description)
			}
		}
	}
	arguments := "{" + strings.Join(given, ", ") + "}"
	if len(parameters) > 0 {
		parameters = append([]string{"*"}, parameters...)
	}
	if f.args.rest != nil {
		ident := idents.add("more")
		parameters = append(parameters, "**"+ident+": "+w.typed(f.args.rest, name+"More"))
		arguments = "{" + strings.Join(append(given, "**"+ident), ", ") + "}"
	}
	signature := strings.Join(parameters, ", ")
	if len(signature) > maxLine {
		signature = "\n        " + strings.Join(parameters, ",\n        ") + ",\n    "
		if f.args.rest != nil {
			signature = strings.TrimSuffix(signature, ",\n    ") + "\n    "
		}
	}
	fmt.Fprintf(&w.calls, "\n    @staticmethod\n    def %s(%s) -> %s:\n", f.ident, signature, w.typed(&f.result, name+"Result"))
	if text := strings.TrimSpace(strings.Join(about, "\n\n")); text != "" {
		w.calls.WriteString(docstring("        ", text) + "\n")
	}
	if f.server == "" {
		fmt.Fprintf(&w.calls, "        return _graph(%s, %s)\n", quoted(f.name), arguments)
		return
	}
	fmt.Fprintf(&w.calls, "        return _tool(%s, %s, %s)\n", quoted(f.server), quoted(f.name), arguments)
}

// typed writes a type. An object with members is declared under a name.
func (w *pythonWriter) typed(s *shape, name string) string {
	switch s.kind {
	case text:
		return "str"
	case number:
		return "float"
	case integer:
		return "int"
	case boolean:
		return "bool"
	case null:
		return "None"
	case literal:
		return "_t.Literal[" + pythonLiteral(s.literal) + "]"
	case list:
		return "list[" + w.typed(&s.of[0], name+"Item") + "]"
	case object:
		switch {
		case len(s.fields) > 0:
			return w.declare(s, name)
		case s.rest != nil:
			return "dict[str, " + w.typed(s.rest, name+"Value") + "]"
		}
		return "dict[str, _t.Never]"
	case union:
		return w.alternatives(s, name)
	}
	return "_t.Any"
}

// alternatives writes a union, its literals as one.
func (w *pythonWriter) alternatives(s *shape, name string) string {
	var names, literals []string
	for i := range s.of {
		if s.of[i].kind == literal {
			literals = append(literals, pythonLiteral(s.of[i].literal))
		} else {
			names = append(names, w.typed(&s.of[i], name))
		}
	}
	if len(literals) > 0 {
		names = append([]string{"_t.Literal[" + strings.Join(literals, ", ") + "]"}, names...)
	}
	return strings.Join(names, " | ")
}

func pythonLiteral(json string) string {
	switch json {
	case "true":
		return "True"
	case "false":
		return "False"
	}
	return json
}

// declare declares the type of an object, after those of its members. The form that is
// a call takes members of any name.
func (w *pythonWriter) declare(s *shape, name string) string {
	name = w.types.taking(name)
	var members strings.Builder
	for _, f := range s.fields {
		typed := w.typed(&f.shape, name+pascal(f.name))
		if f.optional {
			typed = "_t.NotRequired[" + typed + "]"
		}
		fmt.Fprintf(&members, "    %s: %s,\n", quoted(f.name), quoted(typed))
	}
	fmt.Fprintf(&w.declared, "\n%s = _t.TypedDict(%q, {\n%s})\n", name, name, members.String())
	return name
}

// docstring writes a text that it cannot end.
func docstring(indent, text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"""`, `\"\"\"`)
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = indent + lines[i]
		}
	}
	text = strings.Join(lines, "\n")
	switch {
	case len(lines) > 1:
		text += "\n" + indent
	case strings.HasSuffix(text, `"`):
		text = strings.TrimSuffix(text, `"`) + `\"`
	}
	return indent + `"""` + text + `"""`
}
