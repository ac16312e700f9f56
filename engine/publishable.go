package engine

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/regex"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
)

var (
	ruleCombinator = diag.Define("schema-combinator", diag.Warning,
		"The inputSchema has anyOf, oneOf or allOf at its top. Model APIs refuse such a tool, and with it the whole list of tools. save_graph does not publish it. The fix lists all properties at the top and requires those that every alternative requires.")
	rulePropertyName = diag.Define("property-name", diag.Warning,
		"The name of an argument is not 1 to 64 letters, digits, _, - or dots. Model APIs refuse such a tool, and with it the whole list of tools. save_graph does not publish it. The fix renames the argument in the expressions too.")
	ruleArrayItems = diag.Define("array-without-items", diag.Warning,
		"The schema of an argument is an array without items. Some model APIs refuse such a tool. save_graph does not publish it.")
	rulePortable = diag.Define("unportable-pattern", diag.Warning,
		"JavaScript does not read a pattern of a schema, or reads it in another way. Clients written in it refuse the tool, some with the whole list. save_graph does not publish it.")
	ruleLongDescription = diag.Define("long-description", diag.Warning,
		"A description has more than 1,024 characters. Some model APIs refuse such a tool. save_graph does not publish it. The fix cuts it after a sentence.")
	ruleOldDraft = diag.Define("old-draft", diag.Warning,
		"A schema is written in a draft of JSON Schema older than 2020-12, or with keywords of one that it does not name. Clients do not read it in the same way. save_graph does not publish it. The fix writes the keywords of today, also in references.")
)

// Unpublishable returns what clients and model APIs refuse in the tool if it is
// published: warnings that are among those of [Compile] too.
func (p *Plan) Unpublishable() diag.List { return p.unpublishable.Sort() }

// published checks the parts of a tool that its clients see.
type published struct {
	pass  *Pass
	what  string // inputSchema or outputSchema
	input bool
	root  graph.Value
	old   graph.Value // the first thing of an older draft
	clash bool        // a schema defines a name in $defs and in definitions
}

// checkPublished reports what clients refuse in the tool. What has errors is not
// published.
func (p *Pass) checkPublished() {
	if p.diags.HasErrors() {
		return
	}
	p.longDescription(p.tool.Description)
	for _, c := range []published{{what: "inputSchema", input: true, root: p.tool.InputSchema}, {what: "outputSchema", root: p.tool.OutputSchema}} {
		c.pass = p
		c.schema(c.root, nil, 0)
		c.reportOld()
	}
}

// harmful reports a diagnostic that keeps the tool from being published.
func (p *Pass) harmful(r *diag.Rule, v graph.Value, format string, args ...any) *diag.Diagnostic {
	d := p.Report(r, v, nil, format, args...)
	if d.Code != "" { // it is counted only, after thousands of others
		p.plan.unpublishable = append(p.plan.unpublishable, d)
	}
	return d
}

// schema checks a schema and those inside it. Path is that of its values in the
// arguments, as expressions read them: without the indexes of lists.
func (c *published) schema(v graph.Value, path []string, depth int) {
	if !v.Is(graph.Object) || depth > graph.MaxDepth {
		return
	}
	c.pass.did(0)
	c.keywords(v, depth == 0)
	for key, m := range v.Members() {
		switch {
		case slices.Contains([]string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}, key):
			for name, of := range m.Members() {
				inside := path
				if key == "properties" {
					inside = slices.Concat(path, []string{name})
					c.name(m, name, inside)
				}
				if key == "patternProperties" {
					c.patternKey(m, name)
				}
				c.schema(of, inside, depth+1)
			}
		case m.Is(graph.Array) && slices.Contains([]string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}, key):
			for _, item := range m.Items() {
				c.schema(item, path, depth+1)
			}
		case slices.Contains([]string{"items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "unevaluatedProperties", "unevaluatedItems"}, key):
			c.schema(m, path, depth+1)
		}
	}
}

// keywords checks the keywords of one schema.
func (c *published) keywords(v graph.Value, top bool) {
	p := c.pass
	if top && c.input {
		for _, key := range combinators {
			if v.Get(key).Is(graph.Array) {
				d := p.harmful(ruleCombinator, v.Key(key), "%s has %s at its top, which model APIs refuse", c.what, key)
				d.WithFix("list the properties at the top, and say in their descriptions which belong together", v.Replace("list all properties at the top", withoutCombinators(v)))
				break
			}
		}
	}
	if c.input && isArray(v) && !v.Has("items") && !v.Has("prefixItems") {
		d := p.harmful(ruleArrayItems, v, "%s: an array has no items, which some model APIs refuse", c.what)
		d.WithFix("say what the items are, as items: {type: string}", v.Insert("add items: {}, which allows any", "items", graph.Members{}, "type"))
	}
	if pattern := v.Get("pattern"); pattern.Is(graph.String) && !regex.PortablePattern(pattern.Text()) {
		c.pattern(v, pattern)
	}
	if !top {
		p.longDescription(v.Get("description"))
	}
	c.noteOld(v, top)
}

// isArray reports whether a schema says that values may be arrays.
func isArray(v graph.Value) bool {
	t := v.Get("type")
	return t.Text() == "array" || slices.ContainsFunc(t.Items(), func(v graph.Value) bool { return v.Text() == "array" })
}

// pattern reports a pattern that JavaScript does not read.
func (c *published) pattern(v, pattern graph.Value) {
	d := c.pass.harmful(rulePortable, pattern, "%s: JavaScript may not read the pattern %s", c.what, strconv.Quote(diag.Cut(pattern.Text(), 80)))
	if text, ok := regex.Portable(pattern.Text()); ok {
		d.WithFix("write "+yamlQuote(text), pattern.Replace("write "+diag.Cut(text, 80), text))
		return
	}
	d.WithFix("write it without features that JavaScript lacks, such as flags for a part of a pattern", v.Get("pattern").Remove("remove it, so that any text is accepted"))
}

// patternKey reports a key of patternProperties that JavaScript does not read.
func (c *published) patternKey(holder graph.Value, pattern string) {
	if regex.PortablePattern(pattern) {
		return
	}
	d := c.pass.harmful(rulePortable, holder.Key(pattern), "%s: JavaScript may not read the pattern %s", c.what, strconv.Quote(diag.Cut(pattern, 80)))
	if text, ok := regex.Portable(pattern); ok && !holder.Has(text) {
		d.WithFix("write "+yamlQuote(text), holder.RenameKey("write "+diag.Cut(text, 80), pattern, text))
		return
	}
	d.WithFix("write it without features that JavaScript lacks, such as flags for a part of a pattern", holder.Get(pattern).Remove("remove it"))
}

// longDescription reports a description that is too long for some model APIs.
func (p *Pass) longDescription(v graph.Value) {
	if !v.Is(graph.String) || len(v.Text()) <= listing.MaxDescription {
		return
	}
	n := utf8.RuneCountInString(v.Text())
	if n <= listing.MaxDescription {
		return
	}
	d := p.harmful(ruleLongDescription, v, "the description has %d characters, at most %d are taken by all model APIs", n, listing.MaxDescription)
	d.WithFix("say what the tool does and when to use it; details belong in the descriptions of its arguments", v.Replace(fmt.Sprintf("cut it to %d characters", listing.MaxDescription), listing.ShortDescription(v.Text())))
}
