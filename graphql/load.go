package graphql

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// An api is one GraphQL API whose schema has been read.
type api struct {
	o        Options
	schema   *ast.Schema
	endpoint string // "" if calls are not possible
	client   *apis.Client
	limits   limits
	checks   int // see [maxChecks]

	selected map[selectionKey]*selection
	inputs   map[string]*inputType
	closures map[string]*definitions
}

// load reads the schema of an API.
func load(ctx context.Context, o Options) (*api, error) {
	if o.Depth <= 0 {
		o.Depth = DefaultDepth
	}
	a := &api{
		o: o, endpoint: o.Endpoint, selected: map[selectionKey]*selection{}, inputs: map[string]*inputType{}, closures: map[string]*definitions{},
		client: apis.NewClient(apis.ClientOptions{Transport: o.Transport, Headers: o.Headers, Timeout: o.Timeout, MaxBytes: o.MaxBytes}),
	}
	doc, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	a.schema, err = a.build(doc)
	if err != nil {
		return nil, fmt.Errorf("the GraphQL schema is not valid: %w", err)
	}
	return a, nil
}

// note reports something to the operator.
func (a *api) note(format string, args ...any) {
	if a.o.Note != nil {
		a.o.Note(fmt.Sprintf(format, args...))
	}
}

// build makes a schema of definitions, which may repeat those that every schema has.
func (a *api) build(doc *ast.SchemaDocument) (*ast.Schema, error) {
	prelude := validator.PreludeDocument()
	isBuiltIn := func(d *ast.Definition) bool { return prelude.Definitions.ForName(d.Name) != nil }
	doc.Definitions = slices.DeleteFunc(doc.Definitions, isBuiltIn)
	doc.Directives = slices.DeleteFunc(doc.Directives, func(d *ast.DirectiveDefinition) bool { return prelude.Directives.ForName(d.Name) != nil })
	a.dropUndeclared(doc, prelude)
	if err := a.checkSize(doc); err != nil {
		return nil, err
	}
	all := &ast.SchemaDocument{}
	all.Merge(prelude)
	all.Merge(doc)
	return validator.ValidateSchemaDocument(all)
}

// dropUndeclared removes directives that are not declared, as those of federated
// schemas often are not: they do not matter to callers.
func (a *api) dropUndeclared(doc, prelude *ast.SchemaDocument) {
	declared, ignored := map[string]*ast.DirectiveDefinition{}, map[string]bool{}
	for _, d := range slices.Concat(prelude.Directives, doc.Directives) {
		declared[d.Name] = d
	}
	drop := func(list ast.DirectiveList) ast.DirectiveList {
		return slices.DeleteFunc(list, func(d *ast.Directive) bool {
			of := declared[d.Name]
			if of == nil {
				ignored[d.Name] = true
			} else {
				a.checks += len(of.Locations) + len(d.Arguments)*(len(d.Arguments)+2*len(of.Arguments))
			}
			return of == nil
		})
	}
	arguments := func(list ast.ArgumentDefinitionList) {
		for _, arg := range list {
			arg.Directives = drop(arg.Directives)
		}
	}
	for _, s := range slices.Concat(doc.Schema, doc.SchemaExtension) {
		s.Directives = drop(s.Directives)
	}
	for _, d := range slices.Concat(doc.Definitions, doc.Extensions) {
		d.Directives = drop(d.Directives)
		for _, f := range d.Fields {
			f.Directives = drop(f.Directives)
			arguments(f.Arguments)
		}
		for _, v := range d.EnumValues {
			v.Directives = drop(v.Directives)
		}
	}
	for _, d := range doc.Directives {
		arguments(d.Arguments)
	}
	if dropped := slices.Sorted(maps.Keys(ignored)); len(dropped) > 0 {
		a.note("the schema uses directives that it does not declare; they are ignored: @%s", strings.Join(dropped[:min(len(dropped), 10)], ", @"))
	}
}

// isDeprecated reports whether something is deprecated, and its reason.
func isDeprecated(list ast.DirectiveList) (reason string, deprecated bool) {
	d := list.ForName("deprecated")
	if d == nil {
		return "", false
	}
	if arg := d.Arguments.ForName("reason"); arg != nil && arg.Value != nil {
		return arg.Value.Raw, true
	}
	return "no longer supported", true
}
