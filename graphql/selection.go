package graphql

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// MaxDepth is how many levels of objects can be selected.
const MaxDepth = 10

// A selection is what is selected of a type, and the JSON Schema of the result.
type selection struct {
	text   string
	schema string // without null
	fields int    // at all levels
}

// selectionKey says which selection is meant. It does not depend on where the type occurs,
// so that each is made once for a schema.
type selectionKey struct {
	typ   string
	depth int  // levels of objects, this one included
	lean  bool // no fragments for the members of unions and interfaces
}

// A chosenField is one field of a selection.
type chosenField struct {
	*ast.FieldDefinition
	key string     // in the result: the name or an alias
	sub *selection // nil for scalars and enums
}

// typename is what is selected of a type that has nothing else to select.
func (a *api) typename(def *ast.Definition) *selection {
	names := []string{def.Name}
	if def.IsAbstractType() {
		names = a.memberNames(def)
	}
	return &selection{"__typename", closedObject([]string{`"__typename":` + enumSchema(names, false)}, []string{"__typename"}), 1}
}

// Places of selections that there are not.
var (
	beingMade = &selection{} // by a caller further up: the type contains itself without a level between
	tooLarge  = &selection{}
)

// selectFields returns what is selected of a composite type; nil for nothing. It reports
// false if that would have more fields than the limit.
func (a *api) selectFields(def *ast.Definition, k selectionKey) (*selection, bool) {
	switch made := a.selected[k]; made {
	case nil:
	case beingMade:
		return nil, true
	case tooLarge:
		return nil, false
	default:
		return made, true
	}
	a.selected[k] = beingMade
	s := a.newSelection(def, k)
	if s == nil || s.fields > a.limits.fields {
		a.selected[k] = tooLarge
		return nil, false
	}
	a.selected[k] = s
	return s, true
}

// newSelection is nil if the selection has too many fields.
func (a *api) newSelection(def *ast.Definition, k selectionKey) *selection {
	b := selectionBuilder{}
	if def.IsAbstractType() {
		b.typename(a.memberNames(def))
	}
	own, ok := a.choose(def, k, nil)
	if !ok {
		return nil
	}
	taken := map[string]bool{}
	for _, f := range own {
		b.add(a, f, true)
		taken[f.Name] = true
	}
	if def.IsAbstractType() && !k.lean && !a.addMembers(&b, def, k, taken) {
		return nil
	}
	if b.fields == 0 {
		return a.typename(def)
	}
	return b.selection()
}

// choose returns the fields of a type that can be selected without arguments. It reports
// false if they are too many.
func (a *api) choose(def *ast.Definition, k selectionKey, leaveOut map[string]bool) ([]chosenField, bool) {
	var chosen []chosenField
	count := 0
	for _, f := range def.Fields {
		if isIntrospectionName(f.Name) || leaveOut[f.Name] || slices.ContainsFunc(f.Arguments, isRequired) {
			continue
		}
		if _, deprecated := isDeprecated(f.Directives); deprecated && !a.o.Deprecated {
			continue
		}
		c := chosenField{FieldDefinition: f, key: f.Name}
		count++
		if of := a.schema.Types[f.Type.Name()]; of.IsCompositeType() {
			below := selectionKey{of.Name, k.depth - 1, k.lean}
			if isPartOfConnection(def, f) {
				below.depth = k.depth
			}
			if below.depth < 1 {
				continue
			}
			var ok bool
			if c.sub, ok = a.selectFields(of, below); !ok {
				return nil, false
			}
			if c.sub == nil {
				continue
			}
			count += c.sub.fields
		}
		if count > a.limits.fields {
			return nil, false
		}
		chosen = append(chosen, c)
	}
	return chosen, true
}

// isRequired reports whether a field cannot be selected without an argument.
func isRequired(arg *ast.ArgumentDefinition) bool { return arg.Type.NonNull && arg.DefaultValue == nil }

// isConnection reports whether a type is a page of a list, as Relay has them: it is
// kept whole and does not count as a level.
func isConnection(def *ast.Definition) bool {
	return strings.HasSuffix(def.Name, "Connection") && def.Fields.ForName("edges") != nil && def.Fields.ForName("pageInfo") != nil
}

// isPartOfConnection reports whether a field leads through a connection to its items.
func isPartOfConnection(def *ast.Definition, f *ast.FieldDefinition) bool {
	switch f.Name {
	case "edges", "nodes", "pageInfo":
		return isConnection(def)
	case "node":
		return strings.HasSuffix(def.Name, "Edge") && def.Fields.ForName("cursor") != nil
	}
	return false
}

// members are the object types of a union or an interface, in the order of the schema.
func (a *api) members(def *ast.Definition) []*ast.Definition {
	return slices.DeleteFunc(slices.Clone(a.schema.PossibleTypes[def.Name]), func(d *ast.Definition) bool { return d == nil || d.Kind != ast.Object })
}

func (a *api) memberNames(def *ast.Definition) (names []string) {
	for _, d := range a.members(def) {
		names = append(names, d.Name)
	}
	return names
}

// addMembers adds a fragment for each member of a union or an interface. A field that
// members have with different types is aliased in all of them: GraphQL refuses a document
// in which one key has two types.
func (a *api) addMembers(b *selectionBuilder, def *ast.Definition, k selectionKey, taken map[string]bool) bool {
	members := a.members(def)
	chosen := make([][]chosenField, len(members))
	typesOf, names := map[string]string{}, map[string]bool{}
	conflict := map[string]bool{}
	for i, m := range members {
		fields, ok := a.choose(m, k, taken)
		if !ok {
			return false
		}
		chosen[i] = fields
		for _, f := range m.Fields {
			names[f.Name] = true
		}
		for _, f := range fields {
			typ := f.Type.String()
			if before, seen := typesOf[f.Name]; seen && before != typ {
				conflict[f.Name] = true
			}
			typesOf[f.Name] = typ
		}
	}
	for i, m := range members {
		if len(chosen[i]) == 0 {
			continue
		}
		b.open(m.Name)
		for _, f := range chosen[i] {
			if conflict[f.Name] {
				for f.key = f.Name + "_" + m.Name; names[f.key]; {
					f.key += "_"
				}
			}
			b.add(a, f, false)
		}
		b.close()
		if b.fields > a.limits.fields {
			return false
		}
	}
	return true
}
