package packs

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A linter gathers the findings and the nodes of one pack.
type linter struct {
	found []Finding
	nodes []located
	ports map[string]string // the manifest's port types; nil when it names none
	types map[string]string
}

// A located node knows where its file has it.
type located struct {
	file *packFile
	path string
	node packNode
	bad  bool // it has an error
}

// report adds findings of one file, placed.
func (l *linter) report(f *packFile, list ...Finding) {
	for _, one := range list {
		one.File = f.name
		if one.Line == 0 {
			one.Line, one.Column = f.place(one.Path)
		}
		l.found = append(l.found, one)
	}
}

// shape reports where value does not have a shape of [PackSchema]; it returns
// whether it has.
func (l *linter) shape(f *packFile, name, path string, value any) bool {
	found := breaches(definitions()[name], value)
	for _, b := range found {
		l.report(f, violation(ruleBadShape, path+b.path, b.message, ""))
	}
	return len(found) == 0
}

func (l *linter) manifest(f *packFile) *Pack {
	l.report(f, f.found...)
	p := &Pack{Name: "unnamed"}
	if f.data == nil || !l.shape(f, "manifest", "", f.data) {
		return p
	}
	m := f.data.(map[string]any)
	text := func(key string) string { s, _ := m[key].(string); return s }
	p.Name, p.Title, p.Version, p.Description = text("name"), text("title"), text("version"), text("description")
	p.NodeTypes = texts(m["node_types"])
	l.types = p.NodeTypes
	if m["port_types"] != nil {
		l.ports = texts(m["port_types"])
	}
	return p
}

func texts(v any) map[string]string {
	m, _ := v.(map[string]any)
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k], _ = v.(string)
	}
	return out
}

// file takes the nodes out of a file.
func (l *linter) file(f *packFile) {
	l.report(f, f.found...)
	if f.data == nil || HasErrors(f.found) {
		return
	}
	if list, ok := f.data.([]any); ok {
		for i, v := range list {
			l.node(f, "/"+strconv.Itoa(i), v)
		}
		return
	}
	m, isMap := f.data.(map[string]any)
	if _, several := m["nodes"]; isMap && several {
		list, ok := m["nodes"].([]any)
		if !ok || len(m) > 1 {
			l.shape(f, "file", "", f.data)
			return
		}
		for i, v := range list {
			l.node(f, "/nodes/"+strconv.Itoa(i), v)
		}
		return
	}
	l.node(f, "", f.data)
}

func (l *linter) node(f *packFile, path string, value any) {
	value = fromOtherCatalog(value, f.doc.Format)
	if !l.shape(f, "node", path, value) {
		return
	}
	raw, err := json.Marshal(value)
	n := located{file: f, path: path}
	if err == nil {
		err = plainjson.Decode(raw, &n.node)
	}
	if err != nil {
		l.report(f, violation(ruleBadShape, path, err.Error(), ""))
		return
	}
	l.nodes = append(l.nodes, n)
}

// specs checks every node and returns those without an error, by id.
func (l *linter) specs(p *Pack) []*specs.Spec {
	first := map[string]*located{}
	var list []*specs.Spec
	for i := range l.nodes {
		n := &l.nodes[i]
		l.check(n)
		s := n.node.spec(p)
		if other, dup := first[s.ID()]; dup {
			line, _ := other.file.place(other.path)
			l.fail(n, "", ruleDuplicateNode, fmt.Sprintf("node %q is already described at %s:%d", s.ID(), other.file.name, line), "give one of them another subtype, or remove it")
		} else {
			first[s.ID()] = n
		}
		if !n.bad {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *specs.Spec) int { return strings.Compare(a.ID(), b.ID()) })
	return list
}

func (l *linter) fail(n *located, path string, rule *diag.Rule, message, hint string) {
	n.bad = true
	l.report(n.file, violation(rule, n.path+path, message, hint))
}

// reserved are the types of nodes that packs cannot describe.
var reserved = []string{specs.Graph, specs.Idiom, specs.MCP}

func (l *linter) check(n *located) {
	if slices.Contains(reserved, n.node.NodeType) {
		l.fail(n, "/node_type", ruleReservedType, fmt.Sprintf("node type %q is one of Patchbay's own", n.node.NodeType), "name the type after the system that the pack describes")
	} else if l.types != nil {
		if _, ok := l.types[n.node.NodeType]; !ok {
			l.fail(n, "/node_type", ruleUnknownPackType, fmt.Sprintf("node type %q is not among the pack's", n.node.NodeType),
				"the manifest's node_types are "+names(l.types)+"; use one of them or add this one")
		}
	}
	seen := map[string]bool{}
	for i, p := range n.node.Parameters {
		at := "/parameters/" + strconv.Itoa(i)
		if seen[p.Name] {
			l.fail(n, at+"/name", ruleDuplicateParameter, fmt.Sprintf("parameter %q is described twice", p.Name), "rename or remove one of them")
		}
		seen[p.Name] = true
		l.parameter(n, at, p)
	}
	l.portList(n, "/input_ports", n.node.InputPorts)
	l.portList(n, "/output_ports", n.node.OutputPorts)
	for i, e := range n.node.Examples {
		l.example(n, "/examples/"+strconv.Itoa(i)+"/parameters", e)
	}
	if len(n.node.Examples) == 0 {
		l.report(n.file, violation(ruleNoExample, n.path, "the node has no example", "an agent copies examples: give one"))
	}
}

func (l *linter) parameter(n *located, at string, p specs.Parameter) {
	if !slices.Contains(specs.ParameterTypes, p.Type) {
		l.fail(n, at+"/type", ruleUnknownPackType, fmt.Sprintf("parameter type %q is not known", p.Type), "use one of "+strings.Join(specs.ParameterTypes, ", "))
		return
	}
	if p.ValidationPattern != "" {
		if _, err := regexp.Compile(p.ValidationPattern); err != nil {
			l.fail(n, at+"/validation_pattern", ruleBadPattern, "validation_pattern is not a regular expression: "+patternFault(err), "patterns are RE2: no lookaround, no backreferences")
			return
		}
		if json := specs.JSONTypes(p.Type); len(json) > 0 && json[0] != "string" {
			l.fail(n, at+"/validation_pattern", ruleBadPattern, "a pattern cannot hold for a parameter of type "+p.Type, "patterns are for strings")
			return
		}
	}
	if p.Type == "enum" && len(p.EnumValues) == 0 {
		l.fail(n, at, ruleBadEnum, fmt.Sprintf("parameter %q of type enum has no enum_values", p.Name), "list its values")
		return
	}
	for i, v := range p.EnumValues {
		if !hasType(v, p.Type) {
			l.fail(n, at+"/enum_values/"+strconv.Itoa(i), ruleBadEnum, fmt.Sprintf("%s is not of type %s", show(v), p.Type), "")
		}
	}
	if p.DefaultValue != nil {
		if why := refuses(&p, p.DefaultValue); why != "" {
			l.fail(n, at+"/default_value", ruleBadDefault, "the default "+why, "")
		}
	}
}

func patternFault(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

func (l *linter) portList(n *located, at string, list []specs.Port) {
	seen := map[string]bool{}
	for i, p := range list {
		at := at + "/" + strconv.Itoa(i)
		if seen[p.Name] {
			l.fail(n, at+"/name", ruleDuplicatePort, fmt.Sprintf("port %q is described twice", p.Name), "rename or remove one of them")
		}
		seen[p.Name] = true
		if l.ports != nil {
			if _, ok := l.ports[p.Type]; !ok {
				l.fail(n, at+"/type", ruleUnknownPackType, fmt.Sprintf("port type %q is not among the pack's", p.Type), "the manifest's port_types are "+names(l.ports))
			}
		}
		l.schema(n, at+"/validation_schema", p.ValidationSchema, nil)
		if p.DataFormat != nil {
			l.schema(n, at+"/data_format/schema", p.DataFormat.Schema, p.DataFormat.Examples)
		}
	}
}

// schema checks that a schema is one, and that its examples satisfy it.
func (l *linter) schema(n *located, at string, raw json.RawMessage, examples []json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	s := schema.New(raw)
	if err := s.Err(); err != nil {
		l.fail(n, at, ruleBadPortSchema, "not a valid JSON Schema: "+strings.TrimPrefix(err.Error(), "not a valid JSON Schema: "), "")
		return
	}
	for i, e := range examples {
		for _, b := range breaches(s, e) {
			l.fail(n, strings.TrimSuffix(at, "/schema")+"/examples/"+strconv.Itoa(i)+b.path, ruleBadExample, "the example does not satisfy its schema: "+b.message, "")
		}
	}
}

// example checks an example's values against the node's parameters.
func (l *linter) example(n *located, at string, e packExample) {
	var values map[string]any
	if e.Parameters == nil || plainjson.Decode(e.Parameters, &values) != nil {
		return // the example of another catalog does not say them
	}
	known := map[string]string{}
	for _, p := range n.node.Parameters {
		known[p.Name] = p.Type
		v, given := values[p.Name]
		switch {
		case !given && p.Required && p.DefaultValue == nil:
			l.fail(n, at, ruleBadExample, fmt.Sprintf("required parameter %q has no value", p.Name), "")
		case given:
			if why := refuses(&p, v); why != "" {
				l.fail(n, at+"/"+diag.EscapePointer(p.Name), ruleBadExample, fmt.Sprintf("the value of %q %s", p.Name, why), "")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := known[name]; !ok {
			l.fail(n, at+"/"+diag.EscapePointer(name), ruleBadExample, fmt.Sprintf("the node has no parameter %q", name), "its parameters are "+names(known))
		}
	}
}

// names lists keys for a hint, at most twelve.
func names(m map[string]string) string {
	all := slices.Sorted(maps.Keys(m))
	if len(all) == 0 {
		return "none"
	}
	if len(all) > 12 {
		return strings.Join(all[:12], ", ") + fmt.Sprintf(" and %d more", len(all)-12)
	}
	return strings.Join(all, ", ")
}
