package graphql

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/diag"
)

// The library looks for duplicates by comparing all names of a list with each other, and
// cannot be stopped. It makes 200 million comparisons in a second.
const (
	maxEnumValues = 10_000
	maxChecks     = 400_000_000 // comparisons for a schema
)

// A typeSize is what a type has, with its extensions.
type typeSize struct {
	fields        ast.FieldList
	interfaces    []string
	values, types int
	possible      int // types that its fields may have
}

// checkSize refuses a schema that the library would check for too long.
func (a *api) checkSize(doc *ast.SchemaDocument) error {
	sizes, members := map[string]*typeSize{}, map[string]int{}
	for _, list := range []ast.DefinitionList{doc.Definitions, doc.Extensions} {
		for _, d := range list {
			s := sizes[d.Name]
			if s == nil {
				s = &typeSize{}
				sizes[d.Name] = s
			}
			s.fields, s.interfaces = append(s.fields, d.Fields...), append(s.interfaces, d.Interfaces...)
			s.values, s.types = s.values+len(d.EnumValues), s.types+len(d.Types)
			if s.values > maxEnumValues {
				return fmt.Errorf("the enum %s has more than %d values", diag.Quote(d.Name), maxEnumValues)
			}
			members[d.Name] += len(d.Types)
			for _, i := range d.Interfaces {
				members[i]++
			}
		}
	}
	for _, s := range sizes {
		a.checks += pairs(len(s.fields)) + pairs(s.values) + pairs(s.types) + pairs(len(s.interfaces))
		for _, f := range s.fields {
			a.checks += pairs(len(f.Arguments))
			s.possible += members[f.Type.Name()] + pairs(len(f.Arguments))
		}
	}
	for _, d := range doc.Directives {
		a.checks += pairs(len(d.Arguments))
	}
	for _, s := range sizes {
		for _, name := range s.interfaces {
			if i := sizes[name]; i != nil {
				a.checks += len(i.fields)*len(s.fields) + i.possible + len(i.interfaces)*len(s.interfaces)
			}
		}
	}
	if a.checks > maxChecks {
		return fmt.Errorf("its types have too many members to be checked: it takes more than %d comparisons", maxChecks)
	}
	return nil
}

// pairs is how many pairs so many names make.
func pairs(n int) int { return n * (n - 1) / 2 }
