package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// is reports whether v is of the kind wanted, and a diagnostic if it is not.
func (o origin) is(v graph.Value, kind graph.Kind, want string) bool {
	if v.Is(kind) {
		return true
	}
	o.bad(v, want)
	return false
}

func (o origin) bad(v graph.Value, want string) {
	name := strings.ReplaceAll(strings.TrimPrefix(v.Path(), "/"), "/", ".")
	d := o.report(ruleBadSetting, v, "write "+want, "%s is %s, expected %s", name, got(v), want)
	d.Got, d.Want = got(v), want
}

// report reports what is wrong with a value, and what to do.
func (o origin) report(rule *diag.Rule, at graph.Value, hint, format string, args ...any) *diag.Diagnostic {
	d := o.file.Diagnostics.Report(rule, at.Path(), at.Range(), format, args...)
	d.Hint = hint
	return d
}

// given reports whether a value is there and says something.
func given(v graph.Value) bool { return v.Exists() && !v.Is(graph.Null) }

// listItems are the items of a list, or a single value; none of what is not given.
func listItems(v graph.Value) []graph.Value {
	switch {
	case !given(v):
		return nil
	case v.Is(graph.Array):
		return v.Items()
	}
	return []graph.Value{v}
}

// got describes a value that is not as expected.
func got(v graph.Value) string {
	switch v.Kind() {
	case graph.String:
		return strconv.Quote(diag.Excerpt(v.Text()))
	case graph.Number, graph.Boolean:
		return diag.Excerpt(v.Text())
	default:
		return v.Kind().String()
	}
}

func (o origin) number(v graph.Value, low, high int64) (int64, bool) {
	n, ok := v.Int()
	if ok && n >= low && n <= high {
		return n, true
	}
	o.bad(v, fmt.Sprintf("a whole number from %d to %d", low, high))
	return 0, false
}

// texts returns the strings of a list, or a single string as a list.
func (o origin) texts(v graph.Value, of string) []graph.Value {
	if v.Is(graph.String) {
		return []graph.Value{v}
	}
	if !o.is(v, graph.Array, "a list of "+of) {
		return nil
	}
	return lists.Only(v.Items(), func(item graph.Value) bool { return o.is(item, graph.String, "a string") })
}

// expanded returns a setting's text with its variables, and whether it has one.
func (l *loader) expanded(o origin, v graph.Value, want string) (string, bool) {
	if !o.is(v, graph.String, want) {
		return "", false
	}
	x := l.expand(v.Text())
	switch {
	case x.fault != "":
		o.report(ruleBadVariable, v, "write ${VAR} or ${VAR:-default}; $${ is a literal ${", "%s", x.fault)
	case len(x.missing) > 0:
		o.report(ruleUnsetVariable, v, "set "+x.missing[0]+", or give a default: ${"+x.missing[0]+":-…}", "the environment variable %q is not set", x.missing[0])
	case len(x.inputs) > 0 || strings.TrimSpace(x.text) == "":
		o.bad(v, want)
	default:
		return x.text, true
	}
	return "", false
}

func (l *loader) folderSetting(o origin, v graph.Value, set func(string)) {
	if text, ok := l.expanded(o, v, "a folder"); ok {
		set(l.path(text, o.base))
	}
}

// journalKey reads the key of the journal. One that is written in the file is known to
// everybody who has the file.
func (l *loader) journalKey(o origin, v graph.Value) {
	const want = "${VAR}, of a key of at least 32 characters"
	text, ok := l.expanded(o, v, want)
	value, _ := l.o.Environ(strings.TrimSuffix(strings.TrimPrefix(v.Text(), "${"), "}"))
	switch {
	case !ok:
	case len(text) < 32 || text != value:
		o.bad(v, want)
	default:
		l.cfg.Runs.Key = text
		l.secrets = append(l.secrets, secrets.Secret{Name: "runs.key", Value: text})
	}
}

func (l *loader) root(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "a folder")
	if !ok || l.o.Text != nil { // a text is judged without the places that it names
		return
	}
	root := l.path(text, o.base)
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		o.report(ruleBadSetting, v, "name an existing folder; a relative one is relative to this file", "workspace.root is not a folder")
		return
	}
	l.cfg.Root, l.rootWritten = root, true
}

func (l *loader) addr(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "host:port")
	if !ok {
		return
	}
	_, port, err := net.SplitHostPort(text)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n > 65535 {
		o.bad(v, "host:port, such as 127.0.0.1:8080")
		return
	}
	l.cfg.Serve.Addr = text
}

func (l *loader) allowOrigin(o origin, v graph.Value) {
	u, err := url.Parse(v.Text())
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		o.bad(v, "an origin, such as https://app.example.com")
		return
	}
	l.cfg.Serve.AllowedOrigins = append(l.cfg.Serve.AllowedOrigins, v.Text())
}

// unknown reports keys that are not known, a near miss with a fix, and returns
// the known keys that were nearly written, with the first one's diagnostic.
func (o origin) unknown(m graph.Value, known []string, where string) (meant []string, first *diag.Diagnostic) {
	for _, key := range m.Keys() {
		if slices.Contains(known, key) {
			continue
		}
		near := diag.Closest(key, known)
		if m.Has(near) {
			near = ""
		}
		rule := ruleUnknownSetting
		switch {
		case o.foreign && near != "":
			rule = ruleMisspeltKey
		case o.foreign:
			rule = ruleForeignKey
		}
		at := m.Key(key)
		d := o.file.Diagnostics.Report(rule, at.Path(), at.Range(), "%s has the unknown key %q", where, diag.Excerpt(key))
		if near != "" {
			d.Hint = `did you mean "` + near + `"?`
			d.Offer(m.RenameKey(`rename to "`+near+`"`, key, near))
			meant = append(meant, near)
			first = cmp.Or(first, d)
			continue
		}
		d.Hint = "the keys are " + diag.OneOf(known, 12)
		if o.foreign {
			d.Hint = "this key is for another client and has no effect here"
		}
	}
	return meant, first
}
