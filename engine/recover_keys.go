package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// What other systems call the id of a node, and its type.
var (
	idKeys   = strings.Fields("name key nodeId node_id label")
	typeKeys = []string{"kind", "node_type", "nodeType"}
)

// annotations are keys that people and editors add to any node.
var annotations = strings.Fields("name title description comment notes label position")

// recoverFields moves values of keys that are not fields of the kind to the fields that
// they mean.
func (p *Pass) recoverFields(n *Node) {
	k := n.Kind
	for _, key := range n.Keys() {
		if key == "id" || key == "type" || key == positionKey || n.suppressed[key] || k.field(key) != nil {
			continue
		}
		if !p.unwrap(n, key, wrappers, false) && (k.RecoverKey == nil || !k.RecoverKey(p, n, key)) {
			p.strangeField(n, key)
		}
	}
}

func (p *Pass) strangeField(n *Node, key string) {
	nodeType := n.Kind.Spec.NodeType
	if slices.Contains(n.Kind.Tolerated, key) {
		p.Report(ruleToleratedKey, n.Key(key), n, "%q has no meaning on a node of type %s", key, nodeType)
		return
	}
	want, rule := p.meantField(n, key)
	allowed := n.Kind.fieldNames()
	if slices.Contains(annotations, key) {
		allowed = nil
	}
	p.strangeKey(rule, n.Value, n, "a node of type "+nodeType, "field", key, want, allowed)
	if want != "" {
		n.set(want, n.Get(key))
	}
}

// strangeKey reports a key that a map does not have. want is the key that is meant, ""
// if that is not known; a hint then lists those that are allowed. what names the map, and
// part what its keys are.
func (p *Pass) strangeKey(rule *diag.Rule, v graph.Value, n *Node, what, part, key, want string, allowed []string) {
	message := fmt.Sprintf("%s has no %s %q", what, part, key)
	if want != "" {
		p.renameKey(rule, v, n, key, want, message, fmt.Sprintf("did you mean %q?", want))
		return
	}
	hint := ""
	if allowed != nil {
		hint = "its " + part + "s are " + strings.Join(allowed, ", ")
	}
	p.Report(ruleUnknownKey, v.Key(key), n, "%s, it is ignored", message).
		WithFix(hint, v.Get(key).Remove(fmt.Sprintf("remove %q", key)))
}

// renameKey reports a foreign key of a map, with the fix that gives it our name.
func (p *Pass) renameKey(rule *diag.Rule, v graph.Value, n *Node, key, want, message, hint string) {
	p.Report(rule, v.Key(key), n, "%s", message).WithFix(hint, v.RenameKey(fmt.Sprintf("rename to %q", want), key, want))
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
	return p.closest(key, free), ruleMisspeltKey
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

// recoverTool reads the parts of the tool that are under other names.
func (p *Pass) recoverTool() {
	p.suppressKeys(edgeKeys...)
	if p.tree.Bare() {
		p.suppressKeys(documentKeys...)
	}
	t := *p.tool
	members := p.readKeys(t.Value, describe(p.tool), nil, toolKeys, foreignWords["tool"])
	for _, key := range toolKeys {
		if v := members[key]; v.Exists() && !t.Has(key) {
			t.Set(key, v)
		}
	}
	p.tool = &t
}

// suppressKeys keeps keys of the document and its tools from being reported again.
func (p *Pass) suppressKeys(keys ...string) {
	for _, key := range keys {
		p.suppressedKeys[key] = true
	}
}

// textKey returns the first of keys under which a node has a text, or "".
func (n *Node) textKey(keys []string) string {
	for _, key := range keys {
		if n.Get(key).Text() != "" && n.Get(key).Is(graph.String) {
			return key
		}
	}
	return ""
}

// readKeys checks the keys of a map that is not a node against what it may have,
// fixing near misses; it returns the members under their right names, without those that are null.
func (p *Pass) readKeys(v graph.Value, what string, n *Node, allowed []string, aliases map[string]string) map[string]graph.Value {
	members := map[string]graph.Value{}
	for key, m := range v.Members() {
		if slices.Contains(allowed, key) && !m.Is(graph.Null) {
			members[key] = m
		}
	}
	for key, member := range v.Members() {
		if slices.Contains(allowed, key) || p.suppressedKeys[key] {
			continue
		}
		rule, want := ruleMisspeltKey, aliases[key]
		if want == "" && slices.Contains(allowed, camel(key)) {
			rule, want = ruleSnakeCase, camel(key)
		}
		want = cmp.Or(want, p.closest(key, allowed))
		if want == "" && nearExpr(key) {
			want = aliases["expr"]
		}
		if _, taken := members[want]; taken {
			want = ""
		}
		p.strangeKey(rule, v, n, what, "key", key, want, allowed)
		if want != "" {
			members[want] = member
		}
	}
	return members
}
