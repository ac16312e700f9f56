package packs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
)

// ParameterTypes are the types a parameter may have.
var ParameterTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null", "any", "node-id", "jsonata", "jsonlogic"}

// refuses says why a value is not one of the parameter, or "".
func refuses(p *specs.Parameter, v any) string {
	if !slices.Contains(ParameterTypes, p.Type) {
		return ""
	}
	if !hasType(v, p.Type) {
		return fmt.Sprintf("%s is not of type %s", show(v), p.Type)
	}
	if len(p.EnumValues) > 0 && !slices.ContainsFunc(p.EnumValues, func(e any) bool { return show(e) == show(v) }) {
		return fmt.Sprintf("%s is not one of %s", show(v), showAll(p.EnumValues))
	}
	if text, ok := v.(string); ok && p.ValidationPattern != "" {
		if re, err := regexp.Compile(p.ValidationPattern); err == nil && !re.MatchString(text) {
			return fmt.Sprintf("%s does not match %s", show(v), p.ValidationPattern)
		}
	}
	return ""
}

// hasType reports whether a JSON value has a parameter's type. Expressions and
// node ids are strings.
func hasType(v any, typ string) bool {
	switch typ {
	case "any":
		return true
	case "jsonlogic":
		return true // any JSON value is a rule
	}
	switch v := v.(type) {
	case nil:
		return typ == "null"
	case bool:
		return typ == "boolean"
	case string:
		return mayBe(typ, "string")
	case []any:
		return typ == "array"
	case map[string]any:
		return typ == "object"
	case json.Number:
		return typ == "number" || typ == "integer" && !strings.ContainsAny(v.String(), ".eE")
	}
	return typ == "number"
}

// mayBe reports whether values of typ are written as the given JSON type.
func mayBe(typ, json string) bool {
	switch typ {
	case "any", "jsonlogic":
		return true
	case "node-id", "jsonata":
		return json == "string"
	}
	return typ == json
}
