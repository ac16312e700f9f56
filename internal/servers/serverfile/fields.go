package serverfile

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// entry reads one entry: fields that mean something here keep their order, those of
// other clients are translated, and the rest is left out with a note.
func entry(name string, v graph.Value) Entry {
	e := Entry{Name: name}
	known := config.ServerSettings()
	var left []string
	for key, value := range v.Members() {
		read, translated := foreign[key]
		switch {
		case translated:
			read(&e, value)
		case slices.ContainsFunc(known, func(s config.Setting) bool { return s.Key == key }):
			e.set(key, e.plain(value))
		case (key == "autoApprove" || key == "alwaysAllow") && value.Len() > 0:
			e.note("%s is left out: calls.allow in patchbay.yaml permits calls", key)
		case !slices.Contains(withoutMeaning, key):
			left = append(left, key)
		}
	}
	if len(left) > 0 {
		e.note("left out, because they have no meaning here: %s", strings.Join(left, ", "))
	}
	return e
}

// withoutMeaning are keys that can be left out without a word.
var withoutMeaning = []string{"source", "description", "alwaysAllow", "autoApprove", "gallery"}

// plain is a value with the texts in it as patchbay.yaml has them.
func (e *Entry) plain(v graph.Value) any {
	switch v.Kind() {
	case graph.Array:
		list := make([]any, 0, v.Len())
		for _, item := range v.Items() {
			list = append(list, e.plain(item))
		}
		return list
	case graph.String:
		return e.text(v)
	default:
		return v
	}
}

// foreign reads the fields that need more than to be copied.
var foreign = map[string]func(*Entry, graph.Value){
	"env":         func(e *Entry, v graph.Value) { e.set("env", e.pairs("env", v)) },
	"environment": func(e *Entry, v graph.Value) { e.set("env", e.pairs("env", v)) },
	"headers":     func(e *Entry, v graph.Value) { e.set("headers", e.pairs("headers", v)) },
	"command":     (*Entry).command,
	"type":        (*Entry).transport,
	"transport":   (*Entry).transport,
	"serverUrl":   func(e *Entry, v graph.Value) { e.set("url", e.text(v)) },
	"httpUrl":     func(e *Entry, v graph.Value) { e.set("url", e.text(v)) },
	"trust": func(e *Entry, v graph.Value) { // Gemini's is a boolean about something else
		if v.Is(graph.String) {
			e.set("trust", v.Text())
		}
	},
	"enabled": func(e *Entry, v graph.Value) {
		if v.Is(graph.Boolean) && !v.Bool() {
			e.set("disabled", true)
		}
	},
	// Codex
	"http_headers": func(e *Entry, v graph.Value) { e.set("headers", e.pairs("headers", v)) },
	"env_http_headers": func(e *Entry, v graph.Value) {
		for name, from := range v.Members() {
			e.Put("headers", name, "${"+from.Text()+"}")
		}
	},
	"bearer_token_env_var": func(e *Entry, v graph.Value) { e.Put("headers", "Authorization", "Bearer ${"+v.Text()+"}") },
	"env_vars": func(e *Entry, v graph.Value) {
		for _, name := range v.Items() {
			e.Put("env", name.Text(), "${"+name.Text()+"}")
		}
	},
}

// command reads a program, alone, with its arguments in a list, or as Zed wrote it.
func (e *Entry) command(v graph.Value) {
	switch v.Kind() {
	case graph.Object:
		e.set("command", e.text(v.Get("path")))
		if args := v.Get("args"); args.Exists() {
			e.set("args", e.plain(args))
		}
		if env := v.Get("env"); env.Is(graph.Object) {
			e.set("env", e.pairs("env", env))
		}
	case graph.Array:
		items, _ := e.plain(v).([]any)
		if len(items) > 0 {
			e.set("command", items[0])
			e.set("args", items[1:])
		}
	default:
		e.set("command", e.text(v))
	}
}

// transport keeps a type that does not follow from the other fields.
func (e *Entry) transport(v graph.Value) {
	switch v.Text() {
	case "sse":
		e.set("type", "sse")
	case "http", "streamable-http", "streamableHttp", "streamable_http", "remote":
		e.set("type", "http")
	}
}
