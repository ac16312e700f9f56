package config

import (
	"os"
	"path/filepath"
	"strings"
	"time"

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
	{"packs", func(l *loader, o origin, v graph.Value) {
		for _, item := range l.texts(o, v, "folders") {
			var dir string
			if l.folderSetting(o, item, &dir); dir != "" {
				l.cfg.Packs = append(l.cfg.Packs, dir)
			}
		}
	}},
	{"learn", group([]setting{
		{"shapes", func(l *loader, o origin, v graph.Value) { l.flag(o, v, &l.cfg.NoShapes) }},
		{"searches", func(l *loader, o origin, v graph.Value) { l.flag(o, v, &l.cfg.NoSearches) }},
	})},
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
		{"maxResultBytes", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1<<40); ok {
				l.cfg.Limits.MaxResultBytes = int(n)
			}
		}},
		{"maxTraceBytes", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1<<40); ok {
				l.cfg.Limits.MaxTraceBytes = int(n)
			}
		}},
		{"maxRuns", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1_000_000); ok {
				l.cfg.Limits.MaxRuns = int(n)
			}
		}},
		{"maxQueuedRuns", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1_000_000); ok {
				l.cfg.Limits.MaxQueuedRuns = int(n)
			}
		}},
	})},
	{"runs", group([]setting{
		{"store", (*loader).store},
		{"file", func(l *loader, o origin, v graph.Value) { l.folderSetting(o, v, &l.cfg.Runs.File) }},
		{"keepDays", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 0, 36_500); ok {
				l.cfg.Runs.Keep = time.Duration(n) * 24 * time.Hour
			}
		}},
		{"keepMB", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1_000_000); ok {
				l.cfg.Runs.KeepBytes = n << 20
			}
		}},
		{"recover", func(l *loader, o origin, v graph.Value) { l.flag(o, v, &l.cfg.Runs.NoRecover) }},
	})},
	{"workspace", group([]setting{
		{"root", (*loader).root},
		{"enabled", func(l *loader, o origin, v graph.Value) {
			if l.is(o.file, v, graph.Bool, "true or false") {
				on := v.Bool()
				l.workspaceEnabled = &on
			}
		}},
	})},
	{"secrets", (*loader).secretList},
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
		{"allow", (*loader).allow},
		{"private", (*loader).private},
		{"variables", (*loader).variables},
		{"timeoutMs", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, maxMillis); ok {
				l.cfg.Web.Timeout = time.Duration(n) * time.Millisecond
			}
		}},
		{"maxBytes", func(l *loader, o origin, v graph.Value) {
			if n, ok := l.number(o, v, 1, 1<<30); ok {
				l.cfg.Web.MaxBytes = n
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

// ownFile reads patchbay.yaml, if there is one.
func (l *loader) ownFile() {
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
	l.rootWithout(o.base)
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
