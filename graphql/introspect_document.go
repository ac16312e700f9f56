package graphql

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// maxWrappers bounds the lists and non-nulls around one type.
const maxWrappers = 20

// introspectionReader turns an introspection result into definitions. The first error
// is kept.
type introspectionReader struct {
	name string
	at   *ast.Position // of every definition: messages of the validator need one
	err  error
}

func (r *introspectionReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s is not the result of an introspection: %s", r.name, fmt.Sprintf(format, args...))
	}
}

func (r *introspectionReader) document(s *introspected) *ast.SchemaDocument {
	doc := &ast.SchemaDocument{Position: r.at}
	roots := s.operationTypes()
	def := &ast.SchemaDefinition{Position: r.at}
	for _, operation := range []ast.Operation{ast.Query, ast.Mutation, ast.Subscription} {
		if name := roots[operation]; name != "" {
			def.OperationTypes = append(def.OperationTypes, &ast.OperationTypeDefinition{Operation: operation, Type: name, Position: r.at})
		}
	}
	if len(def.OperationTypes) > 0 {
		doc.Schema = ast.SchemaDefinitionList{def}
	}
	for i := range s.Types {
		if !isIntrospectionName(s.Types[i].Name) {
			doc.Definitions = append(doc.Definitions, r.definition(&s.Types[i]))
		}
	}
	return doc
}

func (r *introspectionReader) definition(t *introspectedType) *ast.Definition {
	d := &ast.Definition{Kind: ast.DefinitionKind(t.Kind), Name: t.Name, Description: t.Description, Position: r.at}
	switch d.Kind {
	case ast.Scalar:
	case ast.Object, ast.Interface:
		for _, f := range t.Fields {
			field := &ast.FieldDefinition{Name: f.Name, Description: f.Description, Type: r.typeNode(f.Type, f.Name), Directives: r.deprecated(&f), Position: r.at}
			for _, arg := range f.Args {
				field.Arguments = append(field.Arguments, &ast.ArgumentDefinition{
					Name: arg.Name, Description: arg.Description, Type: r.typeNode(arg.Type, arg.Name), DefaultValue: r.value(arg.DefaultValue),
					Directives: r.deprecated(&arg.introspectedField), Position: r.at,
				})
			}
			d.Fields = append(d.Fields, field)
		}
		for _, i := range t.Interfaces {
			d.Interfaces = append(d.Interfaces, i.Name)
		}
	case ast.InputObject:
		for _, f := range t.InputFields {
			d.Fields = append(d.Fields, &ast.FieldDefinition{
				Name: f.Name, Description: f.Description, Type: r.typeNode(f.Type, f.Name), DefaultValue: r.value(f.DefaultValue),
				Directives: r.deprecated(&f.introspectedField), Position: r.at,
			})
		}
		if t.IsOneOf {
			d.Directives = ast.DirectiveList{{Name: "oneOf", Position: r.at}}
		}
	case ast.Union:
		for _, member := range t.PossibleTypes {
			d.Types, d.TypePositions = append(d.Types, member.Name), append(d.TypePositions, r.at)
		}
	case ast.Enum:
		for _, v := range t.EnumValues {
			d.EnumValues = append(d.EnumValues, &ast.EnumValueDefinition{Name: v.Name, Description: v.Description, Directives: r.deprecated(&v), Position: r.at})
		}
	default:
		r.fail("the type %q has the unknown kind %q", t.Name, t.Kind)
	}
	return d
}

func (r *introspectionReader) deprecated(f *introspectedField) ast.DirectiveList {
	if !f.IsDeprecated {
		return nil
	}
	reason := cmp.Or(f.DeprecationReason, "no longer supported")
	return ast.DirectiveList{{Name: "deprecated", Position: r.at, Arguments: ast.ArgumentList{
		{Name: "reason", Position: r.at, Value: &ast.Value{Raw: reason, Kind: ast.StringValue, Position: r.at}},
	}}}
}

func (r *introspectionReader) typeNode(ref *typeRef, of string) *ast.Type {
	var wrappers []string
	for ; ref != nil && ref.OfType != nil && (ref.Kind == "LIST" || ref.Kind == "NON_NULL"); ref = ref.OfType {
		if wrappers = append(wrappers, ref.Kind); len(wrappers) > maxWrappers {
			r.fail("the type of %q is nested deeper than %d levels", of, maxWrappers)
			return ast.NamedType("String", r.at)
		}
	}
	if ref == nil || ref.Name == "" {
		r.fail("%q has no type", of)
		return ast.NamedType("String", r.at)
	}
	t := ast.NamedType(ref.Name, r.at)
	for _, wrapper := range slices.Backward(wrappers) {
		if wrapper == "LIST" {
			t = ast.ListType(t, r.at)
			continue
		}
		t.NonNull = true
	}
	return t
}

// value reads a default, which an introspection has as text of GraphQL. One that is not is
// left out: its argument is then required or null.
func (r *introspectionReader) value(text *string) *ast.Value {
	if text == nil || *text == "" {
		return nil
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: "{f(a:" + *text + ")}"}, 10_000)
	if err != nil || len(doc.Operations) != 1 || len(doc.Operations[0].SelectionSet) != 1 {
		return nil
	}
	field, ok := doc.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok || len(field.Arguments) != 1 {
		return nil
	}
	v := field.Arguments[0].Value
	r.place(v)
	return v
}

// place gives a value and its children the position of all definitions.
func (r *introspectionReader) place(v *ast.Value) {
	v.Position = r.at
	for _, child := range v.Children {
		r.place(child.Value)
	}
}
