package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// pairs reads env or headers, and notes the secrets in them.
func (r *entryReader) pairs(key string) map[string]string {
	m := r.at.Get(key)
	if !given(m) {
		return nil
	}
	if m.Kind() != graph.Object {
		r.fault(ruleBadSetting, m, "write a map from names to strings", "%s of server %q is %s, not a map", key, r.s.Name, m.Kind())
		return nil
	}
	out := make(map[string]string, m.Len())
	for name, member := range m.Members() {
		text, used := r.text(member, key+"."+name)
		out[name] = text
		var hidden []string
		switch {
		case key == "headers" && len(used) == 0:
			hidden = secrets.HeaderSecrets(name, text)
		case key == "headers" || secrets.IsSecretName(name):
			hidden = secrets.ValueSecrets(text, name)
		}
		r.secrets = append(r.secrets, secrets.Named(r.s.Name+"."+key+"."+name, hidden...)...)
		for _, v := range used { // a reply may hold the part that is a secret alone
			r.note(v, name)
		}
	}
	return out
}

// text reads a scalar, expands its variables and returns those too.
func (r *entryReader) text(v graph.Value, what string) (string, []usedVariable) {
	switch v.Kind() {
	case graph.String, graph.Number, graph.Boolean:
	default:
		r.fault(ruleBadSetting, v, "write a string", "%s of server %q is %s, not a string", what, r.s.Name, v.Kind())
		return "", nil
	}
	raw := v.Text()
	x := r.expand(raw)
	if r.s.Disabled {
		return x.text, x.used
	}
	if strings.ContainsRune(x.text, 0) {
		r.fault(ruleBadSetting, v, "remove the NUL character", "%s of server %q holds a NUL character", what, r.s.Name)
	}
	if x.fault != "" {
		r.fault(ruleBadVariable, v, "write ${VAR} or ${VAR:-default}; $${ is a literal ${", "%s of server %q: %s", what, r.s.Name, x.fault)
	}
	for _, name := range x.missing {
		d := r.fault(ruleMissingVariable, v, "set "+name+" in the environment that patchbay starts in, or give a default: ${"+name+":-…}",
			"server %q needs the environment variable %q, which is not set", r.s.Name, name)
		if i := strings.Index(raw, "${"+name); i >= 0 {
			d.Range = v.Within(i, i+len(name)+3)
		}
	}
	for _, input := range x.inputs {
		r.fault(ruleMissingVariable, v, "write ${VAR} and set that variable",
			"server %q needs the input %q, which only the editor this file was written for asks for", r.s.Name, diag.Excerpt(input))
	}
	return x.text, x.used
}

// path makes a path of a file absolute: ~ is the home directory, a relative one
// is relative to base.
func (l *loader) path(p, base string) string {
	if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, ok := l.o.Environ("HOME"); ok && home != "" {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(base, p)
}
