// Package connect finds nodes by types: those that take what there is and give what is
// wanted, and chains of up to three in which each takes from those before. Two fields
// connect if a value of one can be a value of the other and their names, with the names of
// what they are of, mean the same.
//
// It knows specs, their schemas and what was learned of results. It runs and checks nothing.
package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

// An Index is the types of a catalog. It does not change, and is safe for concurrent use.
type Index struct {
	words   *vocabulary
	nodes   []*node // in the order of their specs
	of      map[*specs.Spec]*node
	rare    float64          // how telling a word is that no node has
	telling []float64        // by word
	takes   map[word][]int32 // nodes by the words of arguments
	gives   map[word][]int32 // nodes by the words of outputs and of their own names
	feeds   sync.Map         // []ranked by *field: what may feed an argument
}

// A node is a spec with its types.
type node struct {
	spec     *specs.Spec
	learned  string // the schema of its output that was learned; "" if it is declared or unknown
	args     []*field
	required int // of args, the first ones
	outs     []*field
	nouns    []word // of its name
}

// maxFields is how many fields of one node's output are looked at, and fieldDepth how deep.
const (
	maxFields  = 60
	fieldDepth = 4
)

// maxWords is how many words a vocabulary has before it is begun anew: those of nodes that
// are gone stay in it.
const maxWords = 200_000

// New returns the index of some specs. Nodes that was has are not read again. learned returns
// the schema that is known of the results of a tool without an output schema, or nil.
func New(was *Index, list []*specs.Spec, learned func(*specs.Spec) json.RawMessage) *Index {
	x := &Index{of: make(map[*specs.Spec]*node, len(list)), takes: map[word][]int32{}, gives: map[word][]int32{}}
	if was != nil && len(was.words.near) < maxWords {
		x.words = was.words.clone()
	} else {
		x.words, was = newVocabulary(), nil
	}
	for _, s := range list {
		if (s.NodeType == specs.Idiom || !s.NotRunnable) && len(s.InputSchema) == 0 {
			continue
		}
		var seen json.RawMessage
		if len(s.OutputSchema) == 0 {
			seen = learned(s)
		}
		var n *node
		if was != nil {
			n = was.of[s]
		}
		if n == nil || n.learned != string(seen) {
			n = x.read(s, seen)
		}
		x.of[s] = n
		x.nodes = append(x.nodes, n)
	}
	df := make([]int, len(x.words.near))
	for i, n := range x.nodes {
		in, out := map[word]bool{}, map[word]bool{}
		for _, f := range n.args {
			note(in, f.name)
			for _, part := range f.typ.Fields {
				note(in, x.words.stemmed[part.Name])
			}
		}
		for _, f := range n.outs {
			note(out, f.name)
		}
		if len(n.outs) > 0 {
			note(out, n.nouns)
		}
		for w := range in {
			x.takes[w] = append(x.takes[w], int32(i))
		}
		for w := range out {
			x.gives[w] = append(x.gives[w], int32(i))
			in[w] = true
		}
		for w := range in {
			df[w]++
		}
	}
	x.rare, x.telling = telling(0, len(x.nodes)), make([]float64, len(df))
	for w, n := range df {
		x.telling[w] = telling(n, len(x.nodes))
	}
	return x
}

func note(set map[word]bool, list []word) {
	for _, w := range list {
		set[w] = true
	}
}

// read reads the types of a spec. Of a node of another system it is those of its parameters
// and of its ports.
func (x *Index) read(s *specs.Spec, learned json.RawMessage) *node {
	n := &node{spec: s, learned: string(learned)}
	name := x.words.words(cmp.Or(s.Tool(), s.NodeType))
	n.nouns = x.words.nouns(name)
	argument := func(name string, typ types.Type, required bool) {
		f := &field{label: name, name: x.words.words(name), context: n.nouns, typ: typ, required: required}
		x.words.bits(f)
		for _, part := range typ.Fields {
			x.words.words(part.Name)
		}
		n.args = append(n.args, f)
	}
	output := func(name []word, typ types.Type) {
		n.outs = fields(n.outs, field{name: name, context: n.nouns, typ: typ.Without(types.Undefined | types.Null)}, fieldDepth, x.words, x.words.words)
	}
	if s.NotRunnable && s.NodeType != specs.Idiom {
		for _, p := range s.Parameters {
			argument(p.Name, ofParameter(&p), p.Required)
		}
		for _, p := range s.InputPorts {
			if typ, ok := ofPort(&p); ok {
				for _, f := range typ.Fields {
					argument(f.Name, f.Type, p.Required && !f.Optional)
				}
			}
		}
		for _, p := range s.OutputPorts {
			if typ, ok := ofPort(&p); ok && p.Type != "ERROR" {
				output(nil, typ)
			}
		}
	} else {
		in, _ := schema.TypeOf(s.InputSchema)
		for _, f := range in.Fields {
			argument(f.Name, f.Type, !f.Optional)
		}
		if out := cmp.Or(string(s.OutputSchema), string(learned)); out != "" {
			typ, _ := schema.TypeOf([]byte(out))
			output(n.nouns, typ)
		}
	}
	slices.SortStableFunc(n.args, func(a, b *field) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	for n.required < len(n.args) && n.args[n.required].required {
		n.required++
	}
	return n
}

// Changes reports whether the first word of a tool's name says that it changes something.
func (x *Index) Changes(tool string) bool {
	name := x.words.read(tool)
	return len(name) > 0 && x.words.change[name[0]]
}

func ofParameter(p *specs.Parameter) types.Type {
	switch names := specs.JSONTypes(p.Type); {
	case len(names) == 0:
		return types.Of(types.JSON)
	default:
		typ, _ := schema.TypeOf([]byte(`{"type":"` + names[0] + `"}`))
		return typ
	}
}

// ofPort is the type of the data of a port, if it is known.
func ofPort(p *specs.Port) (types.Type, bool) {
	source := p.ValidationSchema
	if p.DataFormat != nil && len(p.DataFormat.Schema) > 0 {
		source = p.DataFormat.Schema
	}
	if len(source) == 0 {
		return types.Type{}, false
	}
	typ, _ := schema.TypeOf(source)
	return typ, true
}

// Data is values by their types, as [Read] reads it.
type Data struct {
	Type types.Type
	Of   string // the name of what the values are of, such as a tool that takes them; "" is not known
}

// Read reads what a caller has or wants: a JSON Schema, or a sample. wanted makes what is
// particular to a sample general: a text that is wanted is any text.
func Read(source json.RawMessage, wanted bool) (Data, error) {
	var v any
	if err := json.Unmarshal(source, &v); err != nil {
		return Data{}, err
	}
	if isSchema(v) {
		typ, _ := schema.TypeOf(source)
		if typ.IsOpen() && len(typ.Fields) > 0 { // it has properties, and does not say that it is an object
			typ = typ.Without(^types.Object)
		}
		return Data{Type: typ}, nil
	}
	typ := types.OfJSON(v, false)
	if wanted {
		typ = general(typ)
	}
	return Data{Type: typ}, nil
}

// isSchema reports whether a value is a JSON Schema and not a sample: it names a type of
// JSON, has properties or alternatives.
func isSchema(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	named := func(v any) bool {
		name, ok := v.(string)
		return ok && slices.Contains([]string{"string", "number", "integer", "boolean", "null", "array", "object"}, name)
	}
	switch typ := m["type"].(type) {
	case string:
		return named(typ)
	case []any:
		return len(typ) > 0 && !slices.ContainsFunc(typ, func(v any) bool { return !named(v) })
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "enum"} {
		if _, ok := m[key].([]any); ok {
			return true
		}
	}
	_, ok = m["properties"].(map[string]any)
	return ok
}

func general(t types.Type) types.Type {
	t.Enum = nil
	if t.Has(types.Number) {
		t.Kinds |= types.Number
	}
	if t.Elem != nil {
		t.Elem = types.Pointer(general(*t.Elem))
	}
	t.Fields = slices.Clone(t.Fields)
	for i := range t.Fields {
		t.Fields[i].Type = general(t.Fields[i].Type)
	}
	t.NonEmpty = false
	return t
}

// Find returns the best nodes and chains, best first. Either side may be nil. accept tells
// which nodes may be in them, and favour, from 0, how much more each is worth.
func (x *Index) Find(ctx context.Context, has, wants *Data, accept func(*specs.Spec) bool, favour func(*specs.Spec) float64) (nodes, chains []*Path) {
	q := x.query(has, wants, accept, favour)
	return q.singles(ctx), q.chains(ctx)
}
