package schemas

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

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
