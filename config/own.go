package config

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// WorkspaceName is the name of the built-in server.
const WorkspaceName = "workspace"

// maxMillis bounds a duration: a year.
const maxMillis = int64(365 * 24 * time.Hour / time.Millisecond)

// A setting is one key of a map in patchbay.yaml.
type setting struct {
	key  string
	read func(l *loader, o origin, v graph.Value)
}

// settings is the whole schema of patchbay.yaml.
var settings = []setting{
	{"servers", (*loader).servers},
	{"mcpServers", (*loader).servers},
	{"graphs", func(l *loader, o origin, v graph.Value) { l.folderSetting(o, v, &l.cfg.GraphsDir) }},
	{"cache", func(l *loader, o origin, v graph.Value) { l.folderSetting(o, v, &l.cfg.CacheDir) }},
	{"exposeMax", func(l *loader, o origin, v graph.Value) {
		if n, ok := l.number(o, v, 0, 1000); ok {
			l.cfg.ExposeMax = int(n)
		}
	}},
	{"limits", group([]setting{
		{"maxNodeExecutions", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1_000_000_000); ok {
				l.cfg.Limits.MaxNodeExecutions = int(n)
			}
		}},
		{"maxExecutionTimeMs", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, maxMillis); ok {
				l.cfg.Limits.MaxExecutionTime = time.Duration(n) * time.Millisecond
			}
		}},
	})},
	{"workspace", group([]setting{
		{"root", (*loader).root},
		{"enabled", func(l *loader, o origin, v graph.Value) {
			if l.is(o.file, v, graph.Bool, "true or false") {
				on := v.Bool()
				l.work = &on
			}
		}},
	})},
	{"trust", func(l *loader, o origin, v graph.Value) {
		for _, item := range l.texts(o, v, "server names") {
			l.trust = append(l.trust, trusted{o.file, item})
		}
	}},
	{"http", group([]setting{
		{"addr", (*loader).addr},
		{"allowedOrigins", func(l *loader, o origin, v graph.Value) {
			for _, item := range l.texts(o, v, "origins") {
				l.allowOrigin(o, item)
			}
		}},
	})},
}

func group(table []setting) func(*loader, origin, graph.Value) {
	return func(l *loader, o origin, v graph.Value) {
		if l.is(o.file, v, graph.Map, "a map") {
			l.table(o, v, table)
		}
	}
}

// table reads a map by its schema, in the order of the source.
func (l *loader) table(o origin, m graph.Value, table []setting) {
	keys := make([]string, len(table))
	for i, s := range table {
		keys[i] = s.key
	}
	where := "the configuration"
	if p := m.Path(); p != "" {
		where = strings.ReplaceAll(strings.TrimPrefix(p, "/"), "/", ".")
	}
	l.unknown(o, m, keys, where)
	for _, s := range table {
		// "key:" with nothing behind it is a section whose lines are all comments.
		if v := m.Get(s.key); v.Exists() && !v.Is(graph.Null) {
			s.read(l, o, v)
		}
	}
}

// own reads patchbay.yaml, if there is one.
func (l *loader) own() {
	path := l.o.File
	if path == "" {
		path = l.find()
	}
	if path == "" {
		return
	}
	o, doc := l.open("configuration", path, nil)
	if o.file == nil {
		return
	}
	l.cfg.File = l.path(path, l.o.Dir)
	if doc == nil {
		return
	}
	o.file.rootShape(doc)
	if doc.Root.Is(graph.Map) {
		l.table(o, doc.Root, settings)
	}
}

// find returns the first patchbay.yaml: a relative name for the working
// directory's.
func (l *loader) find() string {
	if _, err := os.Stat(filepath.Join(l.o.Dir, FileName)); err == nil {
		return FileName
	}
	dir := l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if dir == "" {
		return ""
	}
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// rootShape puts what graph.Parse says of a root that is no graph into words of
// a configuration: an empty one is fine.
func (f *File) rootShape(doc *graph.Document) {
	if doc.Root.Is(graph.Map) {
		return
	}
	kept := f.Diagnostics[:0]
	for _, d := range f.Diagnostics {
		if d.Path != "" || d.Code == "duplicate-key" {
			kept = append(kept, d)
		}
	}
	f.Diagnostics = kept
	if doc.Root.Kind() == graph.Null || !doc.Root.Exists() {
		return
	}
	d := f.Diagnostics.Report(ruleBadSetting, "", doc.Root.Range(), "the configuration is %s, not a map", doc.Root.Kind())
	d.Hint = "write a map of settings"
}

// is reports whether v is of the kind wanted, and a diagnostic if it is not.
func (l *loader) is(f *File, v graph.Value, kind graph.Kind, want string) bool {
	if v.Is(kind) {
		return true
	}
	l.bad(f, v, want)
	return false
}

func (l *loader) bad(f *File, v graph.Value, want string) {
	name := strings.ReplaceAll(strings.TrimPrefix(v.Path(), "/"), "/", ".")
	d := f.Diagnostics.Report(ruleBadSetting, v.Path(), v.Range(), "%s is %s, expected %s", name, got(v), want)
	d.Got, d.Want, d.Hint = got(v), want, "write "+want
}

// got describes a value that is not as expected.
func got(v graph.Value) string {
	switch v.Kind() {
	case graph.String:
		return strconv.Quote(clip(v.Text()))
	case graph.Number, graph.Bool:
		return clip(v.Text())
	default:
		return v.Kind().String()
	}
}

func (l *loader) number(o origin, v graph.Value, low, high int64) (int64, bool) {
	n, ok := v.Int()
	if ok && n >= low && n <= high {
		return n, true
	}
	l.bad(o.file, v, fmt.Sprintf("a whole number from %d to %d", low, high))
	return 0, false
}

// texts returns the texts of a list, or the one text that stands for a list.
func (l *loader) texts(o origin, v graph.Value, of string) []graph.Value {
	if v.Is(graph.String) {
		return []graph.Value{v}
	}
	if !l.is(o.file, v, graph.List, "a list of "+of) {
		return nil
	}
	var out []graph.Value
	for _, item := range v.Items() {
		if l.is(o.file, item, graph.String, "a text") {
			out = append(out, item)
		}
	}
	return out
}

// expanded returns a setting's text with its variables, and whether it has one.
func (l *loader) expanded(o origin, v graph.Value, want string) (string, bool) {
	if !l.is(o.file, v, graph.String, want) {
		return "", false
	}
	x := l.expander.expand(v.Text())
	switch {
	case x.fault != "":
		d := o.file.Diagnostics.Report(ruleBadVariable, v.Path(), v.Range(), "%s", x.fault)
		d.Hint = "write ${VAR} or ${VAR:-default}; $${ stands for ${"
	case len(x.missing) > 0:
		d := o.file.Diagnostics.Report(ruleMissingVariable, v.Path(), v.Range(), "the environment variable %q is not set", x.missing[0])
		d.Severity = diag.Error // there is no server to leave out
		d.Hint = "set " + x.missing[0] + ", or give a default: ${" + x.missing[0] + ":-…}"
	case len(x.inputs) > 0 || strings.TrimSpace(x.text) == "":
		l.bad(o.file, v, want)
	default:
		return x.text, true
	}
	return "", false
}

func (l *loader) folderSetting(o origin, v graph.Value, to *string) {
	if text, ok := l.expanded(o, v, "a folder"); ok {
		*to = l.path(text, o.base)
	}
}

func (l *loader) root(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "a folder")
	if !ok {
		return
	}
	root := l.path(text, o.base)
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		d := o.file.Diagnostics.Report(ruleBadSetting, v.Path(), v.Range(), "workspace.root is not a folder")
		d.Hint = "name an existing folder; a relative one is relative to this file"
		return
	}
	l.cfg.Root = root
}

func (l *loader) addr(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "host:port")
	if !ok {
		return
	}
	_, port, err := net.SplitHostPort(text)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n > 65535 {
		l.bad(o.file, v, "host:port, such as 127.0.0.1:8080")
		return
	}
	l.cfg.HTTP.Addr = text
}

func (l *loader) allowOrigin(o origin, v graph.Value) {
	u, err := url.Parse(v.Text())
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		l.bad(o.file, v, "an origin, such as https://app.example.com")
		return
	}
	l.cfg.HTTP.AllowedOrigins = append(l.cfg.HTTP.AllowedOrigins, v.Text())
}

// unknown reports keys that are not known, a near miss with a fix, and returns
// the known keys that were nearly written, with the first one's diagnostic.
func (l *loader) unknown(o origin, m graph.Value, known []string, where string) (meant []string, first *diag.Diagnostic) {
	for _, key := range m.Keys() {
		if slices.Contains(known, key) {
			continue
		}
		at := m.Key(key)
		d := o.file.Diagnostics.Report(ruleUnknownSetting, at.Path(), at.Range(), "%s has the unknown key %q", where, clip(key))
		if near := diag.Closest(key, known); near != "" && !m.Get(near).Exists() {
			d.Hint = `did you mean "` + near + `"?`
			d.Fixes = []diag.Fix{m.RenameKey(`rename to "`+near+`"`, key, near)}
			if o.foreign {
				d.Severity = diag.Warning
			}
			meant = append(meant, near)
			if first == nil {
				first = d
			}
			continue
		}
		d.Hint = "known are " + diag.OneOf(known, 12)
		if o.foreign {
			d.Severity, d.Hint = diag.Note, "it is another client's; it changes nothing here"
		}
	}
	return meant, first
}
