package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// maxNesting bounds defaults within defaults.
const maxNesting = 16

// expansion is the outcome of expanding one text.
type expansion struct {
	text    string
	used    []usedVariable // the variables that were replaced
	missing []string       // variables that are not set and have no default
	inputs  []string       // ${input:…}: what an editor would have asked for
	fault   string         // what is wrong with the text itself, or ""
}

// A usedVariable is a variable that occurs in a text, and its value or default.
type usedVariable struct{ name, value string }

// expander replaces variables as MCP clients do: ${VAR}, ${VAR:-default} (also
// when VAR is empty, as in a shell), ${env:VAR}, ${workspaceFolder},
// ${workspaceFolderBasename} and ${userHome}. A default may hold variables.
// $${ is a literal ${. Every other $ is itself.
type expander struct {
	environ func(string) (string, bool)
	dir     string // ${workspaceFolder}
}

// Expand replaces the variables of a text, at a place of that name, as those of a
// configuration are, and returns the secrets in their values. The error names a variable
// that is not set.
func Expand(text, place string, environ func(string) (string, bool)) (string, []secrets.Secret, error) {
	dir, _ := os.Getwd()
	l := loader{expander: expander{environ: environ, dir: dir}}
	x := l.expand(text)
	for _, v := range x.used {
		l.note(v, place)
	}
	switch {
	case x.fault != "":
		return "", nil, errors.New(x.fault)
	case len(x.missing) > 0:
		return "", nil, fmt.Errorf("the environment variable %q is not set", x.missing[0])
	case len(x.inputs) > 0:
		return "", nil, fmt.Errorf("the input %q is asked for by an editor only", x.inputs[0])
	default:
		return x.text, l.secrets, nil
	}
}

func (e *expander) expand(text string) expansion {
	var x expansion
	x.text = e.walk(text, &x, 0)
	return x
}

func (e *expander) walk(text string, x *expansion, depth int) string {
	if !strings.Contains(text, "${") {
		return text
	}
	if depth > maxNesting {
		x.fault = "defaults are nested too deep"
		return ""
	}
	var b strings.Builder
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		if at > 0 && text[at-1] == '$' {
			b.WriteString(text[:at-1])
			b.WriteString("${")
			text = text[at+2:]
			continue
		}
		b.WriteString(text[:at])
		end := closing(text[at:])
		if end < 0 {
			x.fault = `"${" has no closing "}"`
			return ""
		}
		b.WriteString(e.value(text[at+2:at+end], x, depth))
		text = text[at+end+1:]
	}
}

// closing returns the index of the brace that closes text, which starts with
// "${", or -1.
func closing(text string) int {
	open := 0
	for i := range len(text) {
		switch {
		case text[i] == '{' && i > 0 && text[i-1] == '$':
			open++
		case text[i] == '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

func (e *expander) value(inner string, x *expansion, depth int) string {
	name, fallback, hasDefault := strings.Cut(inner, ":-")
	switch name {
	case "workspaceFolder":
		return e.dir
	case "workspaceFolderBasename":
		return filepath.Base(e.dir)
	case "userHome":
		name = "HOME"
	}
	if input, ok := strings.CutPrefix(name, "input:"); ok {
		x.inputs = append(x.inputs, input)
		return ""
	}
	name = strings.TrimPrefix(name, "env:")
	if !isVariable(name) {
		x.fault = `"${` + diag.Excerpt(inner) + `}" is not a variable`
		return ""
	}
	switch v, ok := e.environ(name); {
	case ok && (v != "" || !hasDefault):
		x.used = append(x.used, usedVariable{name, v})
		return v
	case hasDefault:
		v = e.walk(fallback, x, depth+1)
		x.used = append(x.used, usedVariable{name, v})
		return v
	default:
		x.missing = append(x.missing, name)
		return ""
	}
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
