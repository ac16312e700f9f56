package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	ruleDefinesServers = diag.Define("defines-servers", diag.Error,
		"A graph sent by an agent defines MCP servers. That would run commands of the agent's choosing: only the operator's files define servers.")
	ruleVersion = diag.Define("format-version", diag.Warning,
		"The document's version is not \"1.0\", the version of the format.")
	ruleBadLimit = diag.Define("bad-limit", diag.Error,
		"An execution limit is not a positive whole number.")
	ruleLimitCeiling = diag.Define("limit-above-ceiling", diag.Warning,
		"An execution limit is above the operator's ceiling, and a run gets the ceiling. The operator sets it by limits in patchbay.yaml.")
	ruleBadSchema = diag.Define("bad-schema", diag.Error,
		"A schema of the tool is not a valid JSON Schema of an object, or validating with it would take too long.")
	ruleSchemaShorthand = diag.Define("schema-shorthand", diag.Error,
		"A schema is written as a map of argument to type. Write a JSON Schema: {type: object, properties: {…}, required: […]}.")
	ruleBadName = diag.Define("bad-tool-name", diag.Error,
		"The tool's name has characters that MCP clients refuse, or is too long.")
	ruleSameTool = diag.Define("duplicate-tool", diag.Error,
		"Two tools of the document have the same name.")
)

var documentKeys = []string{"version", "server", "executionLimits", "mcpServers", "tools", "expose"}

var toolKeys = []string{"name", "title", "description", "inputSchema", "outputSchema", "nodes", "expose"}

var toolAliases = map[string]string{
	"parameters": "inputSchema", "inputs": "inputSchema", "input": "inputSchema", "schema": "inputSchema", "args": "inputSchema", "arguments": "inputSchema",
	"outputs": "outputSchema", "output": "outputSchema", "returns": "outputSchema",
	"steps": "nodes", "graph": "nodes", "tasks": "nodes", "summary": "description",
}

// checkDocument checks the fields of the document except the tools.
func (p *Pass) checkDocument() {
	if p.doc.Bare() || p.wrappedGraph() {
		return
	}
	tree := p.doc.Tree()
	p.keysOf(p.doc.Root, "the document", nil, documentKeys, map[string]string{"limits": "executionLimits", "servers": "mcpServers", "tool": "tools", "graphs": "tools", "workflows": "tools"})
	if v := tree.Version; v.Exists() && v.Text() != "1.0" {
		d := p.Report(ruleVersion, v, nil, "version is %s, expected \"1.0\"", strconv.Quote(v.Text()))
		d.Fixes = []diag.Fix{v.Replace(`change to "1.0"`, "1.0")}
	}
	p.refuseServers()
	p.limits(tree.ExecutionLimits)
	seen := map[string]graph.Value{}
	for _, t := range tree.Tools {
		name := t.Name
		if first, dup := seen[name.Text()]; dup && name.Text() != "" {
			d := p.Report(ruleSameTool, name, nil, "the document has two tools %q", name.Text())
			d.Related = []diag.Related{{Path: first.Path(), Range: first.Range(), Message: "the first"}}
		}
		seen[name.Text()] = name
	}
}

// refuseServers reports a definition of servers in a graph that a client sent.
func (p *Pass) refuseServers() {
	if v := p.doc.Tree().MCPServers; v.Exists() && p.env.Untrusted {
		d := p.Report(ruleDefinesServers, p.doc.Root.Key("mcpServers"), nil, "a graph sent by a client cannot define servers")
		d.Hint = "leave mcpServers out and use the servers that get_node_types lists"
		d.Fixes = []diag.Fix{v.Remove("remove mcpServers")}
	}
}

// checkTool checks the fields of the tool except the nodes, and reads them into the plan.
func (p *Pass) checkTool() {
	t := p.tool
	for _, key := range edgeKeys {
		p.suppressedKeys[key] = true
	}
	if p.doc.Bare() {
		for _, key := range documentKeys {
			p.suppressedKeys[key] = true
		}
		p.refuseServers()
	}
	members := p.keysOf(t.Value, describe(t), nil, toolKeys, toolAliases)
	if name := members["name"]; name.Exists() {
		p.checkName(name)
		p.plan.Name = name.Text()
	}
	p.inputSchema = members["inputSchema"]
	p.plan.Description = members["description"].Text()
	limits := p.doc.Tree().ExecutionLimits
	quiet := *p
	quiet.diags = &diag.List{}
	if p.doc.Bare() {
		quiet.diags = p.diags
	}
	p.plan.limits = quiet.limits(limits).Within(p.env.Limits)
	p.plan.input = p.schema(members["inputSchema"], "inputSchema")
	p.plan.output = p.schema(members["outputSchema"], "outputSchema")
}

// checkName holds a tool's name to what MCP and its clients accept.
func (p *Pass) checkName(v graph.Value) {
	name := v.Text()
	if v.Is(graph.String) && ValidName(name) {
		return
	}
	d := p.Report(ruleBadName, v, nil, "the name %s is not 1 to 64 letters, digits, _ or -", strconv.Quote(diag.Cut(name, 80)))
	if fixed := NameFrom(name); fixed != "" {
		d.Hint = fmt.Sprintf("name it %q", fixed)
		d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", fixed), fixed)}
	}
}

// ValidName reports whether MCP clients accept the name of a tool: 1 to 64
// letters, digits, underscores and hyphens.
func ValidName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, r := range name {
		if r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// NameFrom makes a valid name of any text, or "" when nothing is left of it.
func NameFrom(text string) string {
	out := []byte{}
	for _, r := range text {
		switch {
		case ValidName(string(r)):
			out = append(out, byte(r))
		case len(out) > 0 && out[len(out)-1] != '_':
			out = append(out, '_')
		}
	}
	for len(out) > 0 && out[len(out)-1] == '_' {
		out = out[:len(out)-1]
	}
	return string(out[:min(len(out), 64)])
}

// schema compiles a schema of the tool.
func (p *Pass) schema(v graph.Value, what string) *schema.Schema {
	if !v.Exists() || v.Is(graph.Null) {
		return nil
	}
	if v.Is(graph.String) && json.Valid([]byte(v.Text())) && len(v.Text()) > 0 && v.Text()[0] == '{' {
		d := p.Report(ruleBadSchema, v, nil, "%s is text, expected a JSON Schema", what)
		d.Fixes = []diag.Fix{v.Replace("turn the text into a map", json.RawMessage(v.Text()))}
		return nil
	}
	if !v.Is(graph.Map) {
		p.Report(ruleBadSchema, v, nil, "%s is %s, expected a JSON Schema", what, shape(v)).Hint = "write {type: object, properties: {<name>: {type: string}}}"
		return nil
	}
	if p.shorthand(v, what) || p.schemaSlips(v, what) {
		return nil
	}
	s := schema.New(raw(v))
	if err := s.Err(); err != nil {
		p.Report(ruleBadSchema, v, nil, "%s: %s", what, err).Hint = "see https://json-schema.org; {type: object} accepts any object"
		return nil
	}
	return s
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

var typeAliases = map[string]string{
	"str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "numeric": "number",
	"bool": "boolean", "dict": "object", "map": "object", "json": "object", "hash": "object", "list": "array", "tuple": "array", "none": "null", "nil": "null",
	"date": "string", "url": "string", "file": "string", "path": "string",
}

// shorthand recovers from a schema that lists the properties directly.
func (p *Pass) shorthand(v graph.Value, what string) bool {
	if v.Len() == 0 || v.Get("properties").Exists() || v.Get("$ref").Exists() {
		return false
	}
	properties := graph.Object{}
	required := []any{}
	for _, key := range v.Keys() {
		m := v.Get(key)
		isType := m.Is(graph.String) && (slices.Contains(schemaTypes, m.Text()) || typeAliases[m.Text()] != "")
		if key == "type" && isType {
			return false
		}
		switch {
		case m.Is(graph.Map) && (m.Get("type").Exists() || m.Get("description").Exists() || m.Get("enum").Exists()):
			property := graph.Object{}
			for _, k := range m.Keys() {
				switch flag := m.Get(k); {
				case k != "required" || !flag.Is(graph.Bool):
					property = append(property, graph.Pair{Key: k, Value: raw(flag)})
				case flag.Bool():
					required = append(required, key)
				}
			}
			properties = append(properties, graph.Pair{Key: key, Value: property})
		case isType:
			name := m.Text()
			if a := typeAliases[name]; a != "" {
				name = a
			}
			properties = append(properties, graph.Pair{Key: key, Value: graph.Object{{Key: "type", Value: name}}})
		default:
			return false
		}
	}
	d := p.Report(ruleSchemaShorthand, v, nil, "%s lists properties, expected a JSON Schema of an object", what)
	d.Hint = "write {type: object, properties: {…}, required: […]}"
	schema := graph.Object{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}
	if len(required) > 0 {
		schema = append(schema, graph.Pair{Key: "required", Value: required})
	}
	d.Fixes = []diag.Fix{v.Replace("wrap them in properties", schema)}
	return true
}

// schemaSlips reports the small faults of schemas that have one obvious repair.
func (p *Pass) schemaSlips(v graph.Value, what string) bool {
	found := false
	if t := v.Get("type"); !t.Exists() && v.Get("properties").Exists() {
		d := p.Report(ruleBadSchema, v, nil, "%s has properties and no type", what)
		d.Fixes = []diag.Fix{v.Insert("add type: object", "type", "object", "")}
		found = true
	} else if what == "inputSchema" && t.Is(graph.String) && t.Text() != "object" && typeAliases[t.Text()] == "" {
		d := p.Report(ruleBadSchema, t, nil, "%s has type %q, expected object: a tool takes an object of arguments", what, t.Text())
		d.Hint = "write {type: object, properties: {…}}"
		found = true
	}
	var walk func(v graph.Value, depth int)
	walk = func(v graph.Value, depth int) {
		if depth > 32 {
			return
		}
		if t := v.Get("type"); t.Is(graph.String) && !slices.Contains(schemaTypes, t.Text()) {
			d := p.Report(ruleBadSchema, t, nil, "%s: there is no JSON Schema type %q", what, t.Text())
			near := typeAliases[t.Text()]
			if near == "" {
				near = p.closest(t.Text(), schemaTypes)
			}
			d.Hint = "the types are string, number, integer, boolean, object, array, null"
			if near != "" {
				d.Fixes = []diag.Fix{t.Replace(fmt.Sprintf("change to %q", near), near)}
			}
			found = true
		}
		properties := v.Get("properties")
		for _, key := range properties.Keys() {
			m := properties.Get(key)
			if m.Is(graph.String) {
				name := m.Text()
				if a := typeAliases[name]; a != "" {
					name = a
				}
				d := p.Report(ruleBadSchema, m, nil, "%s: the schema of %q is text, expected {type: %s}", what, key, name)
				if slices.Contains(schemaTypes, name) {
					d.Fixes = []diag.Fix{m.Replace("write {type: "+name+"}", graph.Object{{Key: "type", Value: name}})}
				}
				found = true
				continue
			}
			if r := m.Get("required"); r.Is(graph.Bool) {
				p.requiredFlag(v, r, key, what)
				found = true
			}
			walk(m, depth+1)
		}
		if items := v.Get("items"); items.Is(graph.Map) {
			walk(items, depth+1)
		}
	}
	walk(v, 0)
	return found
}

// requiredFlag moves required: true from a property to the list of its object.
func (p *Pass) requiredFlag(object, flag graph.Value, name, what string) {
	d := p.Report(ruleBadSchema, flag, nil, "%s: required is a list on the object, not a flag on %q", what, name)
	d.Hint = fmt.Sprintf("write required: [%s] next to properties", name)
	fixes := []diag.Fix{flag.Remove("")}
	if flag.Bool() {
		if list := object.Get("required"); list.Is(graph.List) {
			fixes = append(fixes, list.Append("", name))
		} else if !list.Exists() {
			fixes = append(fixes, object.Insert("", "required", []any{name}, ""))
		}
	}
	d.Fixes = []diag.Fix{graph.Join("move it to the list", fixes...)}
}
