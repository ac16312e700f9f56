package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// A consent is what a setting needs in a patchbay.yaml that is found.
type consent int

const (
	// needsTrust: the setting starts or reaches something, names a place to read from or
	// write to, reads the environment, or decides what belongs to the user.
	needsTrust consent = iota + 1
	// lowers: a number needs no trust if it is at most the default. In a map, each key says
	// what it needs.
	lowers
	// namesFiles: the setting needs trust, and so do the files that it names in the
	// configuration's folder, which are trusted as they are.
	namesFiles
)

// harmless reports whether a value of the setting, or a part of it, needs no trust.
func (s setting) harmless(v graph.Value) bool {
	if s.consent != lowers || len(s.keys) > 0 {
		return s.consent == lowers && v.Is(graph.Object)
	}
	most, err := strconv.ParseInt(s.fallback, 10, 64)
	n, whole := v.Int()
	return err == nil && whole && n <= most
}

// A part is a value of a file that needs trust.
type part struct {
	key   string // such as "graphs" or "limits.maxRuns"
	known bool   // it is a setting
	value graph.Value
}

// settingParts returns what needs trust in a configuration, or in a map of it, by key.
func settingParts(m graph.Value, under string, table []setting) (list []part) {
	for key, v := range m.Members() {
		i := slices.IndexFunc(table, func(s setting) bool { return s.key == key })
		switch {
		case v.Is(graph.Null):
		case i < 0 || !table[i].harmless(v):
			list = append(list, part{under + key, i >= 0, v})
		case len(table[i].keys) > 0:
			list = append(list, settingParts(v, under+key+".", table[i].keys)...)
		}
	}
	slices.SortFunc(list, func(a, b part) int { return strings.Compare(a.key, b.key) })
	return list
}

// filesNamed returns the files, folders and patterns that the settings of a map name.
func filesNamed(m graph.Value, table []setting) (list []string) {
	for _, s := range table {
		v := m.Get(s.key)
		switch {
		case len(s.keys) > 0:
			list = append(list, filesNamed(v, s.keys)...)
		case s.consent != namesFiles:
		case v.Is(graph.Object): // of APIs, each with a source or several
			for _, api := range v.Members() {
				list = append(list, apiSources(api)...)
			}
		default:
			list = append(list, apiSources(v)...)
		}
	}
	return list
}

// apiSources returns a text, the source of a map, or those of each in a list.
func apiSources(v graph.Value) (list []string) {
	switch {
	case v.Is(graph.String):
		return []string{v.Text()}
	case v.Is(graph.Object):
		return apiSources(v.Get("source"))
	case v.Is(graph.Array):
		for _, item := range v.Items() {
			list = append(list, apiSources(item)...)
		}
	}
	return list
}
