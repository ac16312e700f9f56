package schemas

import (
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// configuration is the schema of patchbay.yaml.
func configuration() *jsonschema.Schema {
	root := object(true)
	root.Title = "Patchbay configuration"
	maps := map[string]*jsonschema.Schema{"": root}
	for _, s := range config.Settings() {
		parent, name := "", s.Key
		if i := strings.LastIndex(s.Key, "."); i >= 0 {
			parent, name = s.Key[:i], s.Key[i+1:]
		}
		is := setting(s)
		switch {
		case is.Type == "object":
			maps[s.Key] = is
		case s.Type == mapOrPath:
			maps[s.Key] = is.AnyOf[0]
		}
		add(maps[parent], name, is)
	}
	return root
}

// mapOrPath is the type of a map that may also be written as one path.
const mapOrPath = "map, or path"

// setting is the schema of one key. A value that is no list and no map may also be a
// text with variables.
func setting(s config.Setting) *jsonschema.Schema {
	is := valueSchema(s.Type)
	is.Description = plain(s.Doc)
	if s.Default != "" {
		is.Description += " Default: " + strings.ReplaceAll(s.Default, "`", "") + "."
	}
	return is
}

// valueSchema is the schema of a value whose type is called kind in the documentation.
func valueSchema(kind string) *jsonschema.Schema {
	var low, high float64
	if n, _ := fmt.Sscanf(kind, "integer, %f-%f", &low, &high); n == 2 {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer", Minimum: &low, Maximum: &high}, variable()}}
	}
	switch {
	case kind == "boolean":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"}, variable()}}
	case kind == "integer":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer"}, variable()}}
	case kind == "map of servers":
		return &jsonschema.Schema{Type: "object", AdditionalProperties: server()}
	case kind == "map":
		return object(true)
	case kind == mapOrPath:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{object(true), {Type: "string"}}}
	case kind == "map of strings":
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}}
	case strings.HasPrefix(kind, "map of "), kind == "":
		return &jsonschema.Schema{}
	case kind == "list of workflows", kind == "list of schedules":
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object"}}
	case strings.HasPrefix(kind, "list of "):
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "array", Items: &jsonschema.Schema{Type: "string"}}, {Type: "string"}}}
	}
	return text(kind)
}

// text is the schema of a text: of those that are listed in code marks, if several are.
func text(kind string) *jsonschema.Schema {
	parts := strings.Split(kind, "`")
	if len(parts) < 4 {
		return &jsonschema.Schema{Type: "string"}
	}
	listed := &jsonschema.Schema{}
	for i := 1; i < len(parts); i += 2 {
		listed.Enum = append(listed.Enum, parts[i])
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{listed, variable()}}
}

// variable is a text with a variable of the environment.
func variable() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: `\$\{`} }

// server is the schema of a server's entry.
func server() *jsonschema.Schema {
	entry := object(false)
	for _, s := range config.ServerSettings() {
		is := setting(s)
		if s.Type == "map" { // its keys are not in the table
			is.AdditionalProperties, is.Properties = nil, nil
		}
		add(entry, s.Key, is)
	}
	return entry
}
