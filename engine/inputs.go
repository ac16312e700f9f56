package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	ruleUnusedInput = diag.Define("unused-input", diag.Warning,
		"No node reads a required argument of the tool.")
	ruleMisspeltInput = diag.Define("misspelt-input", diag.Error,
		"An expression reads an argument that the tool's inputSchema does not declare, and that has nearly the name of one that it does. Declare it if a caller may send it, or write additionalProperties: true.")
	ruleUndeclaredInput = diag.Define("undeclared-input", diag.Warning,
		"An expression reads an argument that the tool's inputSchema does not declare. A caller does not know of it. Declare it in properties, or write additionalProperties: true.")
)

// undeclaredInput returns the rule that the read of a field without a declaration breaks
// where the object is that of the call, which the author of the graph describes, and
// what is reported then.
func (p *Pass) undeclaredInput(c *compiledExpr, e *jsonata.Error) (*diag.Rule, *jsonata.Error) {
	for _, ref := range c.refs.Nodes {
		if ref.Node != p.entryID() {
			continue
		}
		for i, step := range ref.Path {
			if step.Start != e.Start || p.allowsOthers(ref.Path[:i]) {
				continue
			}
			own := *e
			own.Message = "the inputSchema does not declare " + diag.Quote(step.Name)
			if len(e.Edits) == 1 && e.Edits[0].Start == e.Start && (len(step.Name) > 2 || strings.EqualFold(e.Edits[0].New, step.Name)) {
				if i == 0 {
					if p.misspelt == nil {
						p.misspelt = map[string]bool{}
					}
					p.misspelt[e.Edits[0].New] = true
				}
				return ruleMisspeltInput, &own
			}
			own.Edits, own.Hint = nil, "declare it in properties, so that callers know of it"
			return ruleUndeclaredInput, &own
		}
	}
	return ruleUndeclaredField, e
}

// allowsOthers reports whether the inputSchema says that an object of the call may have
// fields that it does not name.
func (p *Pass) allowsOthers(path []jsonata.Field) bool {
	s := p.tool.InputSchema
	for i := 0; ; i++ {
		for s.Has("items") && !s.Has("properties") {
			s = s.Get("items")
		}
		if saysOthers(s.Has) {
			return true
		}
		if i == len(path) {
			return false
		}
		s = s.Get("properties").Get(path[i].Name)
	}
}

// saysOthers reports whether a schema with some keywords says whether an object may have
// fields that properties do not name.
func saysOthers(has func(keyword string) bool) bool {
	return slices.ContainsFunc([]string{"additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"}, has)
}

// checkInputsUsed reports required arguments that nothing reads.
func (p *Pass) checkInputsUsed() {
	schema := p.tool.InputSchema
	required := schema.Get("required").Items()
	entry := p.entryID()
	if len(required) == 0 || entry == "" {
		return
	}
	used := map[string]bool{}
	maps.Copy(used, p.misspelt) // the one fault is enough
	for _, n := range p.nodes {
		for _, x := range n.exprs {
			if x.compiled.refs.ReadsUnnamed() {
				return
			}
			for _, ref := range x.compiled.refs.Nodes {
				if ref.Node != entry {
					continue
				}
				if len(ref.Path) == 0 {
					return
				}
				used[ref.Path[0].Name] = true
			}
		}
	}
	for _, e := range p.plan.nodes[p.nodeIndex(entry)].edges {
		if e.To != NoNode && p.plan.nodes[e.To].kind.Ends {
			return
		}
	}
	for _, r := range required {
		if !used[r.Text()] {
			p.Report(ruleUnusedInput, r, nil, "no node reads the required argument %q", r.Text()).Hint = fmt.Sprintf("read it as $.%s.%s, or make it optional", quoteID(entry), quoteID(r.Text()))
		}
	}
}

var codeInvalidArguments = diag.DefineFault("invalid-arguments", diag.FailsNode, "the arguments of the run or of a saved graph break its inputSchema, or it declares no argument of such a name", "pass what the message asks for; a graph takes other arguments with `additionalProperties: true` in its inputSchema")

// UnknownArguments returns the fault invalid-arguments of a call with arguments that the
// input schema does not declare: which they are, which were meant, and what else is wrong.
// It is nil if all are declared, or if the schema says that there may be others, as with
// additionalProperties: true.
func (p *Plan) UnknownArguments(arguments json.RawMessage) *diag.Fault {
	var given map[string]json.RawMessage
	if p.input == nil || json.Unmarshal(arguments, &given) != nil {
		return nil // what is not an object is refused by [Plan.Input]
	}
	input := p.input.Root()
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(name string) bool { return input.Property(name) != nil })
	if len(unknown) == 0 || !input.Closed() && (input.Get("properties").Len() == 0 || saysOthers(func(key string) bool { return input.Get(key) != nil })) {
		return nil
	}
	found := []schema.Mismatch{{Message: "unknown " + schema.QuoteAll(unknown)}}
	_, plain, _ := p.filled(arguments)
	for _, m := range p.input.CheckValue(plain) {
		if m.Keyword != "additionalProperties" || len(m.Path) > 0 {
			found = append(found, m)
		}
	}
	f := schema.Fault(codeInvalidArguments, "the arguments do not satisfy the input schema", "/arguments", found)
	names := input.PropertyNames()
	free := newFreeArgs(names, func(name string) bool { return given[name] != nil }, input)
	var hints []string
	for _, name := range unknown[:min(len(unknown), 5)] {
		if near := free.meant(name, true); near != "" {
			hints = append(hints, fmt.Sprintf("did you mean %q instead of %q?", near, name))
			f.Suggestions = append(f.Suggestions, near)
		}
	}
	if f.Hint = strings.Join(hints, " "); f.Hint == "" {
		f.Hint = "its arguments are " + diag.OneOf(names, 12)
	}
	return f
}
