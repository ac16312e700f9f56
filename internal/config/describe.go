package config

import "slices"

// A Setting describes one key for the operator.
type Setting struct {
	Key     string // "limits.maxRuns"
	Type    string
	Default string // in words or as written; "" if the key is a map of others
	Doc     string
}

// Settings describes every key of patchbay.yaml, in the order of the reference. The
// keys of a map follow it.
func Settings() []Setting { return describe("", settings) }

// ServerSettings describes every key of a server's entry.
func ServerSettings() []Setting { return slices.Clone(entrySettings) }

func describe(under string, table []setting) (list []Setting) {
	for _, s := range table {
		if s.key == oldHTTP {
			continue
		}
		list = append(list, Setting{under + s.key, s.kind, s.fallback, s.doc})
		list = append(list, describe(under+s.key+".", s.keys)...)
	}
	return list
}
