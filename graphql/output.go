package graphql

import (
	"encoding/json"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// maxEnum is how many values of an enum the schema of a result lists.
const maxEnum = 100

// outputSchema is the JSON Schema of a field's value, with the nullability of each level.
func (a *api) outputSchema(t *ast.Type, sub *selection) string {
	if t.Elem != nil {
		return nullable(`{"type":"array","items":`+a.outputSchema(t.Elem, sub)+`}`, !t.NonNull)
	}
	if sub != nil {
		return nullable(sub.schema, !t.NonNull)
	}
	def := a.schema.Types[t.NamedType]
	if def.Kind == ast.Enum {
		if len(def.EnumValues) > maxEnum {
			return nullable(`{"type":"string"}`, !t.NonNull)
		}
		names := make([]string, len(def.EnumValues)) // deprecated ones too: they are still returned
		for i, v := range def.EnumValues {
			names[i] = v.Name
		}
		return enumSchema(names, !t.NonNull)
	}
	return nullableTypes(string(a.scalarSchema(t.NamedType, true)), !t.NonNull)
}

// nullable adds null to a schema.
func nullable(schema string, null bool) string {
	if !null || schema == "{}" {
		return schema
	}
	if rest, ok := strings.CutPrefix(schema, `{"type":"`); ok {
		typ, rest, _ := strings.Cut(rest, `"`)
		if typ == "object" || typ == "array" || !strings.Contains(rest, `"enum":`) && !strings.Contains(rest, `"const":`) {
			return `{"type":["` + typ + `","null"]` + rest
		}
	}
	return `{"anyOf":[` + schema + `,{"type":"null"}]}`
}

// enumSchema is the schema of one of some names, or null.
func enumSchema(names []string, null bool) string {
	if len(names) == 0 {
		return nullable(`{"type":"string"}`, null)
	}
	if !null {
		return `{"type":"string","enum":` + quoteAll(names) + `}`
	}
	return `{"type":["string","null"],"enum":` + strings.TrimSuffix(quoteAll(names), "]") + `,null]}`
}

func quote(s string) string {
	quoted, _ := json.Marshal(s) // a string cannot fail
	return string(quoted)
}

func quoteAll(list []string) string {
	quoted := lists.Each(list, quote)
	return "[" + strings.Join(quoted, ",") + "]"
}
