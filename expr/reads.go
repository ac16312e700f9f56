package expr

import (
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// A Reader is a text that reads the outputs of nodes: a [Program], or a [Path] of a rule.
// Places are bytes of the text.
type Reader interface {
	// Refs returns what the text may read.
	Refs() *jsonata.Refs
	// Rename returns the edits that make every reference to node from one to node to.
	Rename(from, to string) []diag.TextEdit
	// Infer is [Infer] of the text.
	Infer(root types.Type, vars map[string]types.Type) (types.Type, []*jsonata.Error)
	// There returns what is there where the value counts as true, or does not.
	There(holds bool) []There
	// NotNull returns what is there where the value is, and is not null.
	NotNull() []There
}

// A There is a value of the context that is there.
type There struct {
	Node  string
	Path  []string   // fields under its output
	Lacks types.Kind // undefined, or null too
}

// A Read is a part of a rule that reads the context.
type Read struct {
	Reader
	Pointer string // from the rule to the text, or to what computes it
	Asks    bool   // the rule asks if something is there, or has a default for it
}

// Refs returns what the expression may read.
func (p *Program) Refs() *jsonata.Refs { return p.x.Refs() }

// Rename returns the edits that make every reference to node from one to node to.
func (p *Program) Rename(from, to string) []diag.TextEdit {
	_, edits := jsonata.Rename(p.Source(), p.AST(), from, to)
	return edits
}

// Infer is [Infer] of the expression.
func (p *Program) Infer(root types.Type, vars map[string]types.Type) (types.Type, []*jsonata.Error) {
	return Infer(p.AST(), root, vars)
}

// There returns what the expression tests.
func (p *Program) There(holds bool) (there []There) {
	in := inferrer{ast: p.AST(), scope: &known{}}
	in.ast.Root.EachBinding(in.scope.count)
	in.learn(in.ast.Root, holds)
	for _, ref := range p.Refs().Nodes {
		path := fieldNames(ref)
		key := strings.Join(append([]string{"#0", ref.Node}, path...), ".")
		if left := in.known(key, types.Of(types.Undefined|types.Null)); !left.Has(types.Undefined) {
			there = append(there, There{ref.Node, path, (types.Undefined | types.Null) &^ left.Kinds})
		}
	}
	return there
}

// NotNull returns what a plain path reads.
func (p *Program) NotNull() []There {
	if p.AST().Root.Kind != jsonata.KindPath {
		return nil
	}
	return p.There(true)
}

func fieldNames(ref jsonata.Ref) (names []string) {
	for _, f := range ref.Path {
		names = append(names, f.Name)
	}
	return names
}

// A Path is what a rule looks up in the context by JSON Logic: in missing and
// missing_some, and in a var with an index.
type Path struct {
	Text     string // names and indexes joined with dots; the whole context if it is empty
	Computed bool   // it is not known before the run
}

// Refs returns what the path reads.
func (p Path) Refs() *jsonata.Refs {
	if p.Computed || p.Text == "" {
		return &jsonata.Refs{WholeRoot: true, Unknown: p.Computed}
	}
	ref := jsonata.Ref{Via: "path"}
	at := 0
	for i, part := range strings.Split(p.Text, ".") {
		if _, index := pathIndex(part); index && i > 0 {
			break
		}
		end := at + len(part)
		if i == 0 {
			ref.Node, ref.End = part, end
		} else {
			ref.Path = append(ref.Path, jsonata.Field{Name: part, Start: at, End: end})
		}
		at = end + 1
	}
	return &jsonata.Refs{Nodes: []jsonata.Ref{ref}}
}

// There returns what the path leads through.
func (p Path) There(holds bool) (there []There) {
	for _, ref := range p.Refs().Nodes {
		if holds {
			there = append(there, There{ref.Node, fieldNames(ref), types.Undefined | types.Null})
		}
	}
	return there
}

// NotNull returns what the path leads through.
func (p Path) NotNull() []There { return p.There(true) }

// Rename returns the edit that makes a reference to node from one to node to.
func (p Path) Rename(from, to string) []diag.TextEdit {
	if node, _, _ := strings.Cut(p.Text, "."); p.Computed || node != from || node == "" {
		return nil
	}
	return diag.Replace(0, len(from), to)
}

// Infer returns what the path leads to, undefined where it may lead nowhere.
func (p Path) Infer(root types.Type, _ map[string]types.Type) (types.Type, []*jsonata.Error) {
	if p.Computed {
		return types.Unknown(), nil
	}
	if p.Text == "" {
		return root, nil
	}
	at := 0
	for i, part := range strings.Split(p.Text, ".") {
		if e := pathFault(root, part); e != nil && i > 0 {
			e.Start, e.End = at, at+len(part)
			for j := range e.Edits {
				e.Edits[j].Start, e.Edits[j].End = e.Start, e.End
			}
			return types.Of(types.Undefined), []*jsonata.Error{e}
		}
		root = pathStep(root, part)
		at += len(part) + 1
	}
	return root, nil
}

// pathStep returns what one part of a path leads to.
func pathStep(s types.Type, part string) (out types.Type) {
	if s.IsUnknown() {
		return s
	}
	if s.Has(types.Object) {
		out, _ = s.Field(part)
	}
	if _, index := pathIndex(part); index && s.Has(types.Array) {
		out = out.Or(s.Items()).With(types.Undefined)
	}
	if !s.Only(types.Object) {
		out = out.With(types.Undefined)
	}
	return out
}

// pathFault is what is wrong with a part of a path that cannot lead on from a value.
func pathFault(s types.Type, part string) *jsonata.Error {
	s = s.Without(types.Undefined | types.Null)
	_, index := pathIndex(part)
	e := &jsonata.Error{Code: typeScalarField}
	switch {
	case s.Kinds == 0 || s.IsUnknown() || s.Has(types.Function) || s.Has(types.Array) && (index || s.Has(types.Object)):
		return nil
	case s.Has(types.Array):
		e.Code, e.Message = typeUnknownField, "the value is an array, and a path of JSON Logic has an index after it, not "+diag.Quote(part)
		e.Hint = "write an index, such as 0; to look into all items, use some, all or filter"
	case !s.Has(types.Object):
		e.Message, e.Hint = diag.Quote(part)+" is a field, but the value is "+article(s.String()), "remove it, or check the type of the value"
	default:
		if _, listed := s.Field(part); listed || !s.Closed && len(s.Fields) == 0 {
			return nil
		}
		if near := undeclared(e, part, s); near != "" {
			e.Edits = diag.Replace(0, 0, near)
		}
	}
	return e
}

// pathIndex reads a part of a path as the index of an array.
func pathIndex(part string) (i int, ok bool) {
	if len(part) > maxIndex {
		return 0, false
	}
	i, err := strconv.Atoi(part)
	return i, err == nil && i >= 0
}
