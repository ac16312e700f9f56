package graphql

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// maxTools is how many tools are made of one API.
const maxTools = 20_000

// wanted are the fields that become tools, and notes say which do not.
func (a *api) wanted() ([]*operation, error) {
	queries, mutations := fieldsOfRoot(a.schema.Query), fieldsOfRoot(a.schema.Mutation)
	if len(queries)+len(mutations) == 0 {
		return nil, errors.New("the GraphQL schema has neither queries nor mutations")
	}
	a.checkPatterns("mutations", a.o.Mutations, mutations)
	a.checkPatterns("include", a.o.Include, slices.Concat(queries, mutations))
	a.checkPatterns("exclude", a.o.Exclude, slices.Concat(queries, mutations))
	var wanted []*operation
	deprecated := 0
	add := func(operationType ast.Operation, f *ast.FieldDefinition) {
		if len(a.o.Include) > 0 && !matches(a.o.Include, f.Name) || matches(a.o.Exclude, f.Name) {
			return
		}
		if _, old := isDeprecated(f.Directives); old && !a.o.Deprecated {
			deprecated++
			return
		}
		wanted = append(wanted, &operation{operation: operationType, field: f})
	}
	for _, f := range queries {
		add(ast.Query, f)
	}
	for _, f := range mutations {
		if matches(a.o.Mutations, f.Name) {
			add(ast.Mutation, f)
		}
	}
	if deprecated > 0 {
		a.note("%d deprecated queries and mutations are left out", deprecated)
	}
	if n := len(fieldsOfRoot(a.schema.Subscription)); n > 0 {
		a.note("%d subscriptions are left out: they are not supported", n)
	}
	switch {
	case len(wanted) == 0 && len(mutations) > 0 && len(a.o.Mutations) == 0 && len(queries) == 0:
		return nil, errors.New("the GraphQL schema has only mutations, and none is allowed: set mutations")
	case len(wanted) == 0:
		return nil, errors.New("no queries or mutations are left: check include, exclude and mutations")
	case len(wanted) > maxTools:
		a.note("only the first %d of %d operations are tools: use include", maxTools, len(wanted))
		wanted = wanted[:maxTools]
	}
	return wanted, nil
}

// fieldsOfRoot are the fields of a root type, which may be nil.
func fieldsOfRoot(def *ast.Definition) (fields []*ast.FieldDefinition) {
	if def == nil {
		return nil
	}
	for _, f := range def.Fields {
		if !isIntrospectionName(f.Name) {
			fields = append(fields, f)
		}
	}
	return fields
}

// matches reports whether a name is one of a list of names and globs.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok || p == name
	})
}

// checkPatterns notes names and globs that match nothing.
func (a *api) checkPatterns(what string, patterns []string, fields []*ast.FieldDefinition) {
	names := lists.Each(fields, func(f *ast.FieldDefinition) string { return f.Name })
	for _, p := range patterns {
		if p == "*" || slices.ContainsFunc(names, func(name string) bool { return matches([]string{p}, name) }) {
			continue
		}
		text := fmt.Sprintf("%s has %s, which matches nothing", what, diag.Quote(p))
		if near := diag.Closest(p, names); near != "" && !strings.ContainsAny(p, "*?[") {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		a.note("%s", text)
	}
}
