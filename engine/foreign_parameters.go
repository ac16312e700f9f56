package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// checkParameters checks a node's parameters against its spec.
func (p *Pass) checkParameters(n *Node, spec *specs.Spec) {
	params := n.Field("parameters")
	if params.Exists() && !params.Is(graph.Object) {
		p.Report(rulePackParameter, params, n, "parameters is %s, expected a map", shape(params))
		return
	}
	var free []string
	known := map[string]specs.Parameter{}
	for _, param := range spec.Parameters {
		known[param.Name] = param
		if !params.Has(param.Name) {
			free = append(free, param.Name)
		}
	}
	meant := map[string]bool{}
	for key, m := range params.Members() {
		param, ok := known[key]
		if !ok {
			d := p.Report(rulePackParameter, params.Key(key), n, "%s has no parameter %q", spec.ID(), key)
			if near := p.closest(key, free); near != "" {
				meant[near] = true
				d.WithFix(fmt.Sprintf("did you mean %q?", near), params.RenameKey(fmt.Sprintf("rename to %q", near), key, near))
			} else if p.helps() {
				d.Hint = "its parameters are " + diag.OneOf(sortedKeys(known), 12)
			}
			continue
		}
		p.checkParameter(n, spec, param, m)
	}
	for _, param := range spec.Parameters {
		if param.Required && param.DefaultValue == nil && !params.Has(param.Name) && !meant[param.Name] {
			p.Report(rulePackParameter, firstExisting(params, n.where()), n, "%s needs the parameter %q", spec.ID(), param.Name).Hint = diag.Cut(param.Name+": "+param.Type+", "+param.Description, 200)
		}
	}
}

func (p *Pass) checkParameter(n *Node, spec *specs.Spec, param specs.Parameter, v graph.Value) {
	if v.Expr().Exists() || isPlaceholder(v) || v.Is(graph.String) && specs.IsTemplate(v.Text()) {
		return
	}
	if want := jsonTypes(param.Type); want != nil && !slices.ContainsFunc(want, func(t string) bool { return hasType(v, t) }) {
		d := p.Report(rulePackParameter, v, n, "parameter %q of %s is %s, expected %s", param.Name, spec.ID(), shape(v), param.Type)
		d.Got, d.Want = raw(v), param.Type
		if fix, ok := convert(v, schema.Mismatch{Keyword: "type", Want: strings.Join(want, " or ")}); ok {
			d.Offer(fix)
		}
		return
	}
	if why, meant := specs.TextFault(param.Type, v.Text()); v.Is(graph.String) && why != "" {
		d := p.Report(rulePackParameter, v, n, "parameter %q of %s is %s, which is not of type %s: %s", param.Name, spec.ID(), diag.Cut(string(raw(v)), 60), param.Type, why)
		d.Got, d.Want = raw(v), param.Type
		if meant != "" {
			d.Offer(changeTo(v, meant))
		}
		return
	}
	if len(param.EnumValues) > 0 && !slices.ContainsFunc(param.EnumValues, func(e any) bool { return sameJSON(e, raw(v)) }) {
		d := p.Report(rulePackParameter, v, n, "parameter %q of %s is %s, expected one of %s", param.Name, spec.ID(), diag.Cut(string(raw(v)), 40), schema.CompactAll(param.EnumValues))
		if fix, ok := convert(v, schema.Mismatch{Keyword: "enum", Want: param.EnumValues}); ok {
			d.Offer(fix)
		}
		return
	}
	if re, err := regexp.Compile(param.ValidationPattern); err == nil && param.ValidationPattern != "" && v.Is(graph.String) && !re.MatchString(v.Text()) {
		p.Report(rulePackParameter, v, n, "parameter %q of %s does not match %s", param.Name, spec.ID(), param.ValidationPattern)
	}
}

func sameJSON(e any, text json.RawMessage) bool {
	b, err := json.Marshal(e)
	return err == nil && string(b) == string(text)
}

// jsonTypes are the types of JSON that a parameter's value may have, nil if it may
// have any.
func jsonTypes(parameterType string) (all []string) {
	if parameterType == "" {
		return nil
	}
	for one := range strings.SplitSeq(parameterType, "|") {
		list := specs.JSONTypes(one)
		if list == nil {
			return nil
		}
		all = append(all, list...)
	}
	return all
}

// hasType reports whether a value is of a type of JSON.
func hasType(v graph.Value, t string) bool {
	switch t {
	case "string":
		return v.Is(graph.String)
	case "number":
		return v.Is(graph.Number)
	case "integer":
		_, ok := v.Int()
		return ok
	case "boolean":
		return v.Is(graph.Boolean)
	case "object":
		return v.Is(graph.Object)
	case "array":
		return v.Is(graph.Array)
	case "null":
		return v.Is(graph.Null)
	}
	return true
}
