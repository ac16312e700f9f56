package config

import (
	"slices"
	"strings"
)

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

// BlankComments returns a JSON text with spaces in place of its // and /* */ comments:
// several editors write them into their mcp.json. Every other byte stays in its place.
func BlankComments(src string) string {
	text := strings.TrimLeft(src, "\ufeff \t\r\n")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/*") {
		return src
	}
	out := []byte(src)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '*':
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return src
			}
			for end += i + 4; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		}
	}
	return string(out)
}
