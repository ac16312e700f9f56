package packs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
)

// refuses says why a value is not one of the parameter, or "".
func refuses(p *specs.Parameter, v any) string {
	if !slices.Contains(specs.ParameterTypes, p.Type) {
		return ""
	}
	if !hasType(v, p.Type) {
		return fmt.Sprintf("%s is not of type %s", show(v), p.Type)
	}
	if len(p.EnumValues) > 0 && !slices.ContainsFunc(p.EnumValues, func(e any) bool { return show(e) == show(v) }) {
		return fmt.Sprintf("%s is not one of %s", show(v), showAll(p.EnumValues))
	}
	text, ok := v.(string)
	if !ok {
		return ""
	}
	if why, _ := specs.TextFault(p.Type, text); why != "" {
		return show(v) + " is not of type " + p.Type + ": " + why
	}
	if p.ValidationPattern != "" {
		if re, err := regexp.Compile(p.ValidationPattern); err == nil && !re.MatchString(text) {
			return fmt.Sprintf("%s does not match %s", show(v), p.ValidationPattern)
		}
	}
	return ""
}

// hasType reports whether a JSON value has the form of a parameter's type; which
// texts are values of it, [specs.TextFault] says.
func hasType(v any, typ string) bool {
	want := specs.JSONTypes(typ)
	if want == nil {
		return true
	}
	is := "number"
	switch v := v.(type) {
	case nil:
		is = "null"
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case []any:
		is = "array"
	case map[string]any:
		is = "object"
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") && slices.Contains(want, "integer") {
			return true
		}
	}
	return slices.Contains(want, is)
}
