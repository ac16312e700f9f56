// Package schemas makes the JSON Schemas of the files that people write, from what the
// program itself reads them by, so that editors complete and check them.
package schemas

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// draft is the dialect that editors read best.
const draft = "http://json-schema.org/draft-07/schema#"

// A File is a kind of file that has a schema.
type File struct {
	Name  string // of the schema: "graph"
	About string // what it describes
	text  func() []byte
}

// Files lists every kind of file that has a schema. That of knowledge packs is of JSON
// Schema 2020-12, the others of draft 7.
func Files() []File {
	return []File{
		{"config", "patchbay.yaml", written(configuration)},
		{"graph", "graph documents", written(document)},
		{"pack", "files of knowledge packs", func() []byte { return packs.PackSchema }},
		{"test", "tests of graphs: NAME.test.yaml", written(tests)},
	}
}

// Names lists the names of the schemas.
func Names() []string {
	return lists.Each(Files(), func(f File) string { return f.Name })
}

// Of returns a schema by its name, as indented JSON that ends with a new line. It is nil
// for other names.
func Of(name string) []byte {
	files := Files()
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return files[i].text()
}

// written returns what writes a schema as JSON.
func written(schema func() *jsonschema.Schema) func() []byte {
	return func() []byte {
		s := schema()
		s.Schema = draft
		b, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			panic("schemas: " + err.Error())
		}
		return append(b, '\n')
	}
}

// object is an object with properties in order; others are allowed unless it is closed.
func object(closed bool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	if closed {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	return s
}

// add adds a property to an object.
func add(to *jsonschema.Schema, name string, s *jsonschema.Schema) {
	to.Properties[name] = s
	to.PropertyOrder = append(to.PropertyOrder, name)
}

// plain is a text of the documentation without its Markdown.
func plain(doc string) string {
	var b strings.Builder
	for doc != "" {
		before, rest, found := strings.Cut(doc, "](")
		open := strings.LastIndex(before, "[")
		if !found || open < 0 {
			b.WriteString(doc)
			break
		}
		_, after, _ := strings.Cut(rest, ")")
		b.WriteString(before[:open])
		b.WriteString(before[open+1:])
		doc = after
	}
	return strings.ReplaceAll(b.String(), "`", "")
}

// tests is the schema of a file with tests: a list of cases, or one case.
func tests() *jsonschema.Schema {
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[diag.Fault]():      {Type: "object", Required: []string{"code"}},
	}}
	c, err := jsonschema.For[execution.TestCase](options)
	if err != nil {
		panic("schemas: " + err.Error())
	}
	one := &jsonschema.Schema{Ref: "#/definitions/case"}
	return &jsonschema.Schema{
		Title:       "Patchbay tests",
		Definitions: map[string]*jsonschema.Schema{"case": c},
		AnyOf:       []*jsonschema.Schema{{Type: "array", Items: one}, one},
	}
}
