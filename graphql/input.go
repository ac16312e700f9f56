package graphql

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// inputType is an input object as a definition of a JSON Schema.
type inputType struct {
	schema string
	refs   []string // the input objects that it refers to
}

// A parameter is an argument of a field, or a field of an input object.
type parameter struct {
	name, description string
	typ               *ast.Type
	value             *ast.Value // the default
	directives        ast.DirectiveList
}

func (p *parameter) required() bool { return p.typ.NonNull && p.value == nil }

// parameters leaves out deprecated ones unless they are asked for or required.
func (a *api) parameters(list []parameter) []parameter {
	return slices.DeleteFunc(list, func(p parameter) bool {
		_, deprecated := isDeprecated(p.directives)
		return deprecated && !a.o.Deprecated && !p.required()
	})
}

func (a *api) fieldParameters(f *ast.FieldDefinition) []parameter {
	list := make([]parameter, len(f.Arguments))
	for i, arg := range f.Arguments {
		list[i] = parameter{arg.Name, arg.Description, arg.Type, arg.DefaultValue, arg.Directives}
	}
	return a.parameters(list)
}

func (a *api) inputParameters(input *ast.Definition) []parameter {
	list := lists.Each(input.Fields, func(f *ast.FieldDefinition) parameter {
		return parameter{f.Name, f.Description, f.Type, f.DefaultValue, f.Directives}
	})
	return a.parameters(list)
}

// An objectSchema is the schema of some parameters.
type objectSchema struct {
	properties, required, refs []string
}

// add adds a parameter. With oneOf none is required and none may be null.
func (s *objectSchema) add(a *api, p parameter, oneOf bool) {
	typ := *p.typ
	typ.NonNull = typ.NonNull || oneOf
	schema := a.inputSchema(&typ, &s.refs)
	var more []string
	if text := a.parameterText(p); text != "" {
		more = append(more, `"description":`+quote(text))
	}
	if p.value != nil {
		if value, ok := literalJSON(p.value); ok {
			more = append(more, `"default":`+value)
		}
	}
	if len(more) > 0 {
		separator := ","
		if schema == "{}" {
			separator = ""
		}
		schema = strings.TrimSuffix(schema, "}") + separator + strings.Join(more, ",") + "}"
	}
	s.properties = append(s.properties, quote(p.name)+":"+schema)
	if p.required() && !oneOf {
		s.required = append(s.required, p.name)
	}
}

// parameterText describes a parameter: its own words, or its type, and its enum's values.
func (a *api) parameterText(p parameter) string {
	words := []string{strings.TrimSpace(p.description)}
	if words[0] == "" {
		words[0] = "GraphQL type " + p.typ.String()
	}
	if reason, deprecated := isDeprecated(p.directives); deprecated {
		words[0] += " Deprecated: " + reason
	}
	if def := a.schema.Types[p.typ.Name()]; def.Kind == ast.Enum {
		for _, v := range a.enumValues(def) {
			if v.Description != "" {
				words = append(words, v.Name+": "+strings.TrimSpace(v.Description))
			}
		}
	}
	return strings.Join(words, "\n")
}

func (a *api) enumValues(def *ast.Definition) (values ast.EnumValueList) {
	for _, v := range def.EnumValues {
		if _, deprecated := isDeprecated(v.Directives); !deprecated || a.o.Deprecated {
			values = append(values, v)
		}
	}
	return values
}

// inputSchema is the JSON Schema of an input type. Input objects are references.
func (a *api) inputSchema(t *ast.Type, refs *[]string) string {
	if t.Elem != nil {
		return nullable(`{"type":"array","items":`+a.inputSchema(t.Elem, refs)+`}`, !t.NonNull)
	}
	def := a.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.InputObject:
		if !slices.Contains(*refs, def.Name) {
			*refs = append(*refs, def.Name)
		}
		return nullable(`{"$ref":"#/$defs/`+def.Name+`"}`, !t.NonNull)
	case ast.Enum:
		names := lists.Each(a.enumValues(def), func(v *ast.EnumValueDefinition) string { return v.Name })
		return enumSchema(names, !t.NonNull)
	}
	return nullableTypes(string(a.scalarSchema(def.Name, false)), !t.NonNull)
}

// nullableTypes is nullable for a schema that may have a list of types.
func nullableTypes(schema string, null bool) string {
	if rest, ok := strings.CutPrefix(schema, `{"type":[`); ok && null && strings.HasSuffix(rest, "]}") {
		return `{"type":[` + strings.TrimSuffix(rest, "]}") + `,"null"]}`
	}
	return nullable(schema, null)
}

// input returns the definition of an input object.
func (a *api) input(name string) *inputType {
	if made := a.inputs[name]; made != nil {
		return made
	}
	def := a.schema.Types[name]
	oneOf := def.Directives.ForName("oneOf") != nil
	var s objectSchema
	for _, p := range a.inputParameters(def) {
		s.add(a, p, oneOf)
	}
	schema := closedObject(s.properties, s.required)
	if def.Description != "" {
		schema = strings.TrimSuffix(schema, "}") + `,"description":` + quote(strings.TrimSpace(def.Description)) + "}"
	}
	if oneOf {
		schema = strings.TrimSuffix(schema, "}") + `,"minProperties":1,"maxProperties":1}`
	}
	a.inputs[name] = &inputType{schema, s.refs}
	return a.inputs[name]
}

// definitions are the input objects that some refer to, directly or not.
type definitions struct {
	schema string // the member $defs, with a comma before it, or ""
	whole  bool   // none was too large
}

// definitions returns those of some input objects. What does not fit into the limit, the
// farthest, allows any object.
func (a *api) definitions(refs []string) *definitions {
	if len(refs) == 0 {
		return &definitions{"", true}
	}
	key := strings.Join(refs, " ")
	if made := a.closures[key]; made != nil {
		return made
	}
	var b strings.Builder
	b.WriteString(`,"$defs":{`)
	whole := true
	queue, known := slices.Clone(refs), map[string]bool{}
	for _, name := range queue {
		known[name] = true
	}
	for i := 0; i < len(queue); i++ {
		in := a.input(queue[i])
		schema := in.schema
		if b.Len()+len(schema) > a.limits.inputBytes {
			schema, whole = `{"type":"object","description":"GraphQL input `+queue[i]+`"}`, false
		} else {
			for _, ref := range in.refs {
				if !known[ref] {
					known[ref] = true
					queue = append(queue, ref)
				}
			}
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(queue[i]) + ":" + schema)
	}
	b.WriteByte('}')
	a.closures[key] = &definitions{b.String(), whole}
	return a.closures[key]
}

// literalJSON writes a constant as JSON, numbers with their own digits.
func literalJSON(v *ast.Value) (string, bool) {
	switch v.Kind {
	case ast.IntValue, ast.FloatValue, ast.BooleanValue:
		return v.Raw, true
	case ast.NullValue:
		return "null", true
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		return quote(v.Raw), true
	case ast.ListValue, ast.ObjectValue:
		parts := make([]string, len(v.Children))
		for i, child := range v.Children {
			value, ok := literalJSON(child.Value)
			if !ok {
				return "", false
			}
			if v.Kind == ast.ObjectValue {
				value = quote(child.Name) + ":" + value
			}
			parts[i] = value
		}
		if v.Kind == ast.ListValue {
			return "[" + strings.Join(parts, ",") + "]", true
		}
		return "{" + strings.Join(parts, ",") + "}", true
	}
	return "", false
}
