package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
)

// combinators are the keywords that model APIs refuse at the top of a schema.
var combinators = []string{"allOf", "anyOf", "oneOf"}

// withoutCombinators is a schema of objects that allows all that v does, without
// combinators at its top: their properties are listed, and those required that all
// alternatives require.
func withoutCombinators(v graph.Value) graph.Members {
	properties, required := graph.Members{}, []any{}
	listed, needed := map[string]bool{}, map[string]bool{}
	add := func(of graph.Value) {
		for name, m := range of.Get("properties").Members() {
			if !listed[name] {
				listed[name] = true
				properties = properties.With(name, raw(m))
			}
		}
	}
	require := func(name string) {
		if !needed[name] {
			needed[name] = true
			required = append(required, name)
		}
	}
	for _, of := range append([]graph.Value{v}, v.Get("allOf").Items()...) {
		add(of)
		for _, name := range of.Get("required").Items() {
			require(name.Text())
		}
	}
	for _, key := range combinators[1:] {
		alternatives := v.Get(key).Items()
		in := map[string]int{}
		for _, of := range alternatives {
			add(of)
			for _, name := range of.Get("required").Items() {
				if in[name.Text()]++; in[name.Text()] == len(alternatives) {
					require(name.Text())
				}
			}
		}
	}
	out := graph.Members{}
	for key, m := range v.Members() {
		switch {
		case key == "properties" || key == "required" || slices.Contains(combinators, key):
		default:
			out = out.With(key, raw(m))
		}
	}
	if len(properties) > 0 {
		out = out.With("properties", properties)
	}
	if len(required) > 0 {
		out = out.With("required", required)
	}
	return out
}

// name reports the name of an argument that model APIs refuse.
func (c *published) name(properties graph.Value, name string, path []string) {
	if !c.input || listing.PortableName(name) {
		return
	}
	p := c.pass
	d := p.harmful(rulePropertyName, properties.Key(name), "the name of the argument %s is not 1 to 64 letters, digits, _, - or dots", strconv.Quote(diag.Cut(name, 80)))
	if !p.helps() {
		return
	}
	to := portable(name)
	for i := 2; properties.Has(to); i++ {
		number := "_" + strconv.Itoa(i)
		to = portable(name)
		to = to[:min(len(to), 64-len(number))] + number
	}
	d.Hint = "name it " + strconv.Quote(to)
	title := "rename to " + strconv.Quote(to)
	fixes := []diag.Fix{properties.RenameKey("", name, to)}
	for _, r := range properties.Parent().Get("required").Items() {
		if r.Text() == name {
			fixes = append(fixes, r.Replace("", to))
		}
	}
	for _, n := range p.nodes {
		for _, x := range n.exprs {
			if edits := p.renamed(x.compiled, path, to); len(edits) > 0 {
				fixes = append(fixes, x.at.ReplaceText("", edits...))
			}
		}
	}
	d.Offer(graph.Join(title, fixes...))
}

// renamed are the edits of an expression that reads an argument under another name.
func (p *Pass) renamed(c *compiledExpr, path []string, to string) []diag.TextEdit {
	var edits []diag.TextEdit
	for _, ref := range c.refs.Nodes {
		if ref.Node != p.entryID() || len(ref.Path) < len(path) {
			continue
		}
		same := true
		for i, name := range path {
			same = same && ref.Path[i].Name == name
		}
		if at := ref.Path[len(path)-1]; same {
			edits = append(edits, diag.TextEdit{Start: at.Start, End: at.End, New: c.name(to)})
		}
	}
	return edits
}

// portable is a name that model APIs take, made of another one.
func portable(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < 128 && listing.PortableName(string(r)) {
			return r
		}
		return '_'
	}, name)
	if out = strings.Trim(out[:min(len(out), 64)], "_"); out == "" {
		return "argument"
	}
	return out
}
