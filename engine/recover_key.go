package engine

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// annotations are keys that people and editors add to any node.
var annotations = []string{"name", "title", "description", "comment", "notes", "label", "position"}

// recoverFields files what stands under keys that are not fields of the kind under
// the fields that they stand for.
func (p *Pass) recoverFields(n *Node) {
	k := n.Kind
	for _, key := range n.Keys() {
		if key == "id" || key == "type" || key == positionKey || n.suppressed[key] || k.field(key) != nil {
			continue
		}
		if p.unwrap(n, key) {
			continue
		}
		if k.RecoverKey == nil || !k.RecoverKey(p, n, key) {
			p.strangeKey(n, key)
		}
	}
}

func (p *Pass) strangeKey(n *Node, key string) {
	k := n.Kind
	nodeType := k.Spec.NodeType
	if slices.Contains(k.Tolerated, key) {
		p.Report(ruleToleratedKey, n.Key(key), n, "%q has no meaning on a node of type %s", key, nodeType)
		return
	}
	if want, rule := p.meantField(n, key); want != "" {
		d := p.Report(rule, n.Key(key), n, "a node of type %s has no field %q", nodeType, key)
		d.Hint = fmt.Sprintf("did you mean %q?", want)
		d.Fixes = []diag.Fix{n.RenameKey(fmt.Sprintf("rename to %q", want), key, want)}
		n.set(want, n.Get(key))
		return
	}
	d := p.Report(ruleUnknownKey, n.Key(key), n, "a node of type %s has no field %q, it is ignored", nodeType, key)
	if !slices.Contains(annotations, key) {
		d.Hint = "its fields are " + strings.Join(k.fieldNames(), ", ")
	}
	d.Fixes = []diag.Fix{n.Get(key).Remove(fmt.Sprintf("remove %q", key))}
}

// meantField finds the unused field that was meant by an unknown key, and the rule
// it breaks.
func (p *Pass) meantField(n *Node, key string) (string, *diag.Rule) {
	var free []string
	for _, f := range n.Kind.Fields {
		if !n.given(f.Name).Exists() {
			free = append(free, f.Name)
		}
	}
	for _, name := range free {
		if camel(key) == name {
			return name, ruleSnakeCase
		}
		if slices.Contains(n.Kind.field(name).Aliases, key) || sameName(key, name) {
			return name, ruleMisspeltKey
		}
	}
	if slices.Contains(annotations, key) {
		return "", nil
	}
	if near := p.closest(key, free); near != "" {
		return near, ruleMisspeltKey
	}
	return "", nil
}

// camel turns snake_case and kebab-case into camelCase.
func camel(s string) string {
	var b strings.Builder
	upper := false
	for i, r := range s {
		if (r == '_' || r == '-') && i > 0 {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// keysOf checks the keys of a map that is not a node against what it may have,
// fixing near misses; it returns the members under their right names.
func (p *Pass) keysOf(v graph.Value, what string, n *Node, allowed []string, aliases map[string]string) map[string]graph.Value {
	members := map[string]graph.Value{}
	for _, key := range v.Keys() {
		if slices.Contains(allowed, key) {
			members[key] = v.Get(key)
		}
	}
	for _, key := range v.Keys() {
		if slices.Contains(allowed, key) || p.suppressedKeys[key] {
			continue
		}
		rule, want := ruleMisspeltKey, aliases[key]
		if want == "" && slices.Contains(allowed, camel(key)) {
			rule, want = ruleSnakeCase, camel(key)
		}
		if want == "" {
			want = p.closest(key, allowed)
		}
		if want == "" && nearExpr(key) {
			want = aliases["expr"]
		}
		if _, taken := members[want]; want == "" || taken {
			d := p.Report(ruleUnknownKey, v.Key(key), n, "%s has no key %q, it is ignored", what, key)
			d.Hint = "its keys are " + strings.Join(allowed, ", ")
			d.Fixes = []diag.Fix{v.Get(key).Remove(fmt.Sprintf("remove %q", key))}
			continue
		}
		d := p.Report(rule, v.Key(key), n, "%s has no key %q", what, key)
		d.Hint = fmt.Sprintf("did you mean %q?", want)
		d.Fixes = []diag.Fix{v.RenameKey(fmt.Sprintf("rename to %q", want), key, want)}
		members[want] = v.Get(key)
	}
	return members
}
