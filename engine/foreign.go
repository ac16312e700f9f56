package engine

import (
	"context"
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

// Packs is what Compile may ask about nodes of other systems, of which only
// knowledge is here.
type Packs interface {
	// Subtypes lists the subtypes of a node type that packs describe, sorted; nil
	// when none describes the type.
	Subtypes(nodeType string) []string
	// Node returns the knowledge about one node, or nil.
	Node(nodeType, subtype string) *specs.Spec
}

var (
	ruleForeign = diag.Define("foreign-node", diag.Note,
		"The node belongs to another workflow system that a knowledge pack describes. It can be checked but not run.")
	ruleSubtype = diag.Define("unknown-subtype", diag.Error,
		"The knowledge pack describes no such subtype of the node type.")
	rulePackParameter = diag.Define("bad-parameter", diag.Error,
		"A parameter of a node of another system is missing, unknown, of the wrong type or not one of its values.")
	ruleUnknownPort = diag.Define("unknown-port", diag.Error,
		"A node of another system has no output port of this name.")
	ruleConnections = diag.Define("too-many-connections", diag.Error,
		"A port of a node of another system has more connections than it takes.")
)

// foreignKind is the kind of the nodes of one type of another system: its fields
// are those every such node has, what it takes is in its spec.
func foreignKind(nodeType string) *Kind {
	return &Kind{
		Spec: specs.Spec{NodeType: nodeType, NotRunnable: true},
		Fields: []Field{
			{Name: "subtype", Type: "string", Doc: "subtype: <one that the pack describes>", Aliases: []string{"sub_type", "kind", "operation"}},
			{Name: "parameters", Type: "object", Doc: "parameters: {<name>: <value>}", Aliases: []string{"params", "args", "config", "arguments"}},
			{Name: "next", Type: "any", Edges: true, Doc: "next: <node id>, a list of them, or {<output port>: <node id> or list}", Aliases: []string{"connections", "outputs"}},
		},
		Compile: compileForeign,
	}
}

// typeIsForeign finds the kind of a node that a knowledge pack describes.
func (p *Pass) typeIsForeign(n *Node, nodeType string) bool {
	if p.env.Packs == nil || p.env.Packs.Subtypes(nodeType) == nil {
		return false
	}
	k, ok := p.foreign[nodeType]
	if !ok {
		k = foreignKind(nodeType)
		if p.foreign == nil {
			p.foreign = map[string]*Kind{}
		}
		p.foreign[nodeType] = k
	}
	n.Kind = k
	return true
}

// Foreign lists the ids of the catalog's nodes that the plan has and that cannot
// run here.
func (p *Plan) Foreign() []string { return p.foreign }

func compileForeign(p *Pass, n *Node) Compiled {
	nodeType := n.Kind.Spec.NodeType
	subtype := n.Field("subtype")
	spec := p.env.Packs.Node(nodeType, subtype.Text())
	p.Report(ruleForeign, n.Type, n, "%s is a node of another system: it can be checked but not run", nodeType)
	if spec == nil {
		d := p.Report(ruleSubtype, firstExisting(subtype, n.where()), n, "%s has no subtype %q", nodeType, subtype.Text())
		if !subtype.Exists() {
			d.Message = nodeType + " needs a subtype"
			d.Hint = "one of: " + diag.OneOf(p.env.Packs.Subtypes(nodeType), 12)
		} else if near := p.suggest(d, subtype, p.env.Packs.Subtypes(nodeType)); near != "" {
			spec = p.env.Packs.Node(nodeType, near)
		}
	}
	id := nodeType
	if spec != nil {
		id = spec.ID()
		p.checkParameters(n, spec)
	}
	p.plan.foreign = append(p.plan.foreign, id)
	return Compiled{Edges: p.ports(n, spec), Step: func(context.Context, *State) (Outcome, error) {
		return Outcome{}, diag.Faultf("not-runnable", "%s is a node of another system and cannot run here", id)
	}}
}

// checkParameters checks a node's parameters against its spec.
func (p *Pass) checkParameters(n *Node, spec *specs.Spec) {
	params := n.Field("parameters")
	if params.Exists() && !params.Is(graph.Map) {
		p.Report(rulePackParameter, params, n, "parameters is %s, expected a map", shape(params))
		return
	}
	var free []string
	known := map[string]specs.Parameter{}
	for _, param := range spec.Parameters {
		known[param.Name] = param
		if !params.Get(param.Name).Exists() {
			free = append(free, param.Name)
		}
	}
	meant := map[string]bool{}
	for _, key := range params.Keys() {
		param, ok := known[key]
		if !ok {
			d := p.Report(rulePackParameter, params.Key(key), n, "%s has no parameter %q", spec.ID(), key)
			if near := p.closest(key, free); near != "" {
				meant[near] = true
				d.Hint = fmt.Sprintf("did you mean %q?", near)
				d.Fixes = []diag.Fix{params.RenameKey(fmt.Sprintf("rename to %q", near), key, near)}
			} else if p.helps() {
				d.Hint = "its parameters are " + diag.OneOf(sortedKeys(known), 12)
			}
			continue
		}
		p.checkParameter(n, spec, param, params.Get(key))
	}
	for _, param := range spec.Parameters {
		if param.Required && param.DefaultValue == nil && !params.Get(param.Name).Exists() && !meant[param.Name] {
			d := p.Report(rulePackParameter, firstExisting(params, n.where()), n, "%s needs the parameter %q", spec.ID(), param.Name)
			d.Hint = diag.Cut(param.Name+": "+param.Type+", "+param.Description, 200)
		}
	}
}

func (p *Pass) checkParameter(n *Node, spec *specs.Spec, param specs.Parameter, v graph.Value) {
	if v.Expr().Exists() || isPlaceholder(v) {
		return
	}
	if want := strings.Split(param.Type, "|"); param.Type != "" && !slices.ContainsFunc(want, func(t string) bool { return hasType(v, t) }) {
		d := p.Report(rulePackParameter, v, n, "parameter %q of %s is %s, expected %s", param.Name, spec.ID(), shape(v), param.Type)
		d.Got, d.Want = raw(v), param.Type
		if fix, ok := convert(v, schema.Mismatch{Keyword: "type", Want: strings.Join(want, " or ")}); ok {
			d.Fixes = []diag.Fix{fix}
		}
		return
	}
	if len(param.EnumValues) > 0 && !slices.ContainsFunc(param.EnumValues, func(e any) bool { return sameJSON(e, raw(v)) }) {
		d := p.Report(rulePackParameter, v, n, "parameter %q of %s is %s, expected one of %s", param.Name, spec.ID(), diag.Cut(string(raw(v)), 40), schema.CompactAll(param.EnumValues))
		if fix, ok := convert(v, schema.Mismatch{Keyword: "enum", Want: param.EnumValues}); ok {
			d.Fixes = []diag.Fix{fix}
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

// hasType reports whether a value is of a parameter's type; types that JSON does
// not have are taken as fitting.
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
		return v.Is(graph.Bool)
	case "object":
		return v.Is(graph.Map)
	case "array":
		return v.Is(graph.List)
	case "null":
		return v.Is(graph.Null)
	}
	return true
}

// ports reads the connections of a node of another system and holds them to what
// its ports take.
func (p *Pass) ports(n *Node, spec *specs.Spec) []Edge {
	next := n.Next
	var edges []Edge
	byPort := map[string]int{}
	add := func(port string, v graph.Value) {
		targets := []graph.Value{v}
		if v.Is(graph.List) {
			targets = v.Items()
		}
		for _, t := range targets {
			edges = append(edges, Edge{Label: port, To: p.Target(n, t), At: t})
			byPort[port]++
		}
	}
	if spec == nil {
		return nil
	}
	var names []string
	for _, port := range spec.OutputPorts {
		names = append(names, port.Name)
	}
	switch {
	case next.Is(graph.Map):
		for _, port := range next.Keys() {
			if !slices.Contains(names, port) {
				d := p.Report(ruleUnknownPort, next.Key(port), n, "%s has no output port %q", spec.ID(), port)
				d.Hint = "its output ports are " + diag.OneOf(names, 12)
				if near := p.closest(port, names); near != "" {
					d.Fixes = []diag.Fix{next.RenameKey(fmt.Sprintf("rename to %q", near), port, near)}
				}
				continue
			}
			add(port, next.Get(port))
		}
	case next.Exists() && !next.Is(graph.Null) && len(names) > 0:
		add(names[0], next)
	}
	for _, port := range spec.OutputPorts {
		if most := port.MaxConnections; most > 0 && byPort[port.Name] > most {
			p.Report(ruleConnections, next, n, "output port %q of %s has %d connections, at most %d are allowed", port.Name, spec.ID(), byPort[port.Name], most)
		}
	}
	return edges
}

// checkForeignInputs holds what leads into nodes of other systems to what their
// input ports take together; a port without a limit takes any number.
func (p *Pass) checkForeignInputs() {
	arriving := map[NodeIndex]int{}
	for i := range p.plan.nodes {
		for _, e := range p.plan.nodes[i].edges {
			arriving[e.To]++
		}
	}
	for _, n := range p.nodes {
		if n.Kind == nil || !n.Kind.Spec.NotRunnable {
			continue
		}
		spec := p.env.Packs.Node(n.Kind.Spec.NodeType, n.Field("subtype").Text())
		if spec == nil {
			continue
		}
		most := 0
		for _, port := range spec.InputPorts {
			if port.MaxConnections == 0 {
				most = -1
				break
			}
			most += port.MaxConnections
		}
		if got := arriving[n.Index]; most >= 0 && got > most {
			p.Report(ruleConnections, n.where(), n, "%d connections lead into %q, its input ports take %d", got, n.ID, most)
		}
	}
}
