package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// An apiKind is a kind of API that can be configured: how its entries are read.
type apiKind struct {
	transport Transport
	keys      []Setting          // of an entry, and the flags disabled and enabled
	read      func(*entryReader) // adds one entry's options to the server
}

// apiSettings is what a map of APIs by name takes.
func apiSettings(kind *apiKind) value {
	return value{"map of APIs", func(l *loader, o origin, v graph.Value) {
		if !o.is(v, graph.Object, "a map from names to APIs") {
			return
		}
		for name, m := range v.Members() {
			r := &entryReader{loader: l, origin: o, at: m}
			if r.name(name, v.Key(name)) {
				r.api(kind)
				l.add(o, r.s, v.Key(name), m)
			}
		}
	}, nil}
}

// api reads the entry of an API: a map, a list of maps whose tools are those of one
// server, or the source alone.
func (r *entryReader) api(kind *apiKind) {
	r.s.Transport, r.s.Trusted = kind.transport, true
	whole := r.at
	parts := []graph.Value{whole}
	if whole.Is(graph.Array) {
		parts = whole.Items()
	}
	for _, part := range parts {
		r.at = part
		switch {
		case part.Is(graph.String):
		case part.Is(graph.Object):
			r.s.Disabled = r.s.Disabled || r.flag("disabled", false) || !r.flag("enabled", true)
			r.unknownKeys(kind.keys)
		default:
			r.fault(ruleServer, part, "write a map with source", "%s %q is %s, not a map", kind.transport, r.s.Name, part.Kind())
			continue
		}
		kind.read(r)
	}
	if len(parts) == 0 {
		r.fault(ruleServer, whole, "write a map with source", "%s %q has no entry", kind.transport, r.s.Name)
	}
	r.at = whole
}

func (r *entryReader) unknownKeys(settings []Setting) {
	keys := slices.Sorted(slices.Values(settingKeys(settings, "disabled", "enabled")))
	if _, slip := r.unknown(r.at, slices.Compact(keys), fmt.Sprintf("%s %q", r.s.Transport, r.s.Name)); slip != nil {
		r.s.Problem = &diag.Fault{Code: slip.Code, Message: slip.Message, Hint: slip.Hint}
	}
}

// apiText is the text at a key with its variables, or "".
func (r *entryReader) apiText(key string) string {
	v := r.at.Get(key)
	if !given(v) {
		return ""
	}
	text, _ := r.text(v, key)
	return text
}

// apiSource is where an API is described: a URL, text, or a path, which becomes absolute.
func (r *entryReader) apiSource(v graph.Value) string {
	if !given(v) {
		return ""
	}
	text, _ := r.text(v, "source")
	if apis.IsURL(text) || apis.IsText(text) || text == "" {
		return text
	}
	return filepath.Clean(r.path(text, r.base))
}

// apiURL is the URL at a key, or "".
func (r *entryReader) apiURL(key string) string {
	text := r.apiText(key)
	if text != "" && !apis.IsURL(text) {
		v := r.at.Get(key)
		r.fault(ruleBadSetting, v, "write an absolute URL such as https://host/path", "%s of %s %q is not an http or https URL", key, r.s.Transport, r.s.Name)
	}
	return text
}

// apiNumber reads a number from low to high.
func (r *entryReader) apiNumber(v graph.Value, low, high int64) int {
	n, ok := v.Int()
	if !ok || n < low || n > high {
		r.fault(ruleBadSetting, v, fmt.Sprintf("write a number from %d to %d", low, high),
			"%s of %s %q is not a number from %d to %d", strings.TrimPrefix(v.Path()[strings.LastIndexByte(v.Path(), '/'):], "/"), r.s.Transport, r.s.Name, low, high)
	}
	return int(n)
}

// apiSchemas are JSON Schemas by name; a string is the name of a type.
func (r *entryReader) apiSchemas(key string) map[string]json.RawMessage {
	m := r.at.Get(key)
	if !given(m) {
		return nil
	}
	if !m.Is(graph.Object) {
		r.fault(ruleBadSetting, m, "write a map from names to JSON Schemas", "%s of %s %q is %s, not a map", key, r.s.Transport, r.s.Name, m.Kind())
		return nil
	}
	all := map[string]json.RawMessage{}
	for name, member := range m.Members() {
		switch v := member; {
		case v.Is(graph.Object):
			all[name] = v.JSON()
		case v.Is(graph.String) && slices.Contains([]string{"string", "integer", "number", "boolean", "object", "array"}, v.Text()):
			all[name] = json.RawMessage(`{"type":"` + v.Text() + `"}`)
		default:
			r.fault(ruleBadSetting, v, "write a JSON Schema, or the name of a type such as string", "%s.%s of %s %q is not a JSON Schema", key, name, r.s.Transport, r.s.Name)
		}
	}
	return all
}
