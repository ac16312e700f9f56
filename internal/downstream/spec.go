package downstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/internal/bounded"
	"github.com/patchbay-mcp/patchbay/specs"
)

// hashPrefix is how much of a definition's hash is its version.
const hashPrefix = 12

// largeProperty is the size in bytes above which an example does not repeat a
// property's schema.
const largeProperty = 1000

// Spec returns the catalog's knowledge of a tool: parameters from its schema, and
// on demand ports, a node ready to be copied, and a whole graph that calls it.
func Spec(t *Tool) *specs.Spec {
	s := &specs.Spec{
		NodeType: specs.MCP, Subtype: t.Server + "/" + t.Name,
		Version: t.Hash[:min(hashPrefix, len(t.Hash))],
		Title:   t.Title, Description: t.Description,
		Category: "tool", Source: "server:" + t.Server,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Annotations: t.Annotations,
		Derive:      func(s *specs.Spec) { derive(s, t) },
	}
	root := newSchema(t.InputSchema)
	required, properties := root.required(), root.properties()
	s.Parameters = make([]specs.Parameter, 0, len(properties))
	for _, p := range properties {
		node := root.resolve(p.value)
		param := specs.Parameter{Name: p.name, Type: node.typeName(), Description: node.text("description"), ValidationPattern: node.text("pattern")}
		if len(required) > 0 && required[0] == p.name { // in the order of the properties
			param.Required, required = true, required[1:]
		}
		if raw, ok := node.fields["default"]; ok {
			param.DefaultValue = decode(raw)
		}
		if raw, ok := node.fields["enum"]; ok {
			param.EnumValues, _ = decode(raw).([]any)
		}
		s.Parameters = append(s.Parameters, param)
	}
	return s
}

// derive adds what follows from the tool's schemas to its spec.
func derive(s *specs.Spec, t *Tool) {
	root := newSchema(t.InputSchema)
	s.InputPorts = make([]specs.Port, len(s.Parameters))
	for i, p := range s.Parameters {
		s.InputPorts[i] = specs.Port{
			Name: p.Name, Type: p.Type, Required: p.Required, Description: p.Description,
			MaxConnections: 1, ValidationSchema: root.properties()[i].value,
		}
	}
	out := specs.Port{Name: "output", Type: "any", Description: "the tool's structured content, or the JSON or text of its content"}
	if t.OutputSchema != nil {
		out.Type = newSchema(t.OutputSchema).typeName()
		out.DataFormat = &specs.DataFormat{MimeType: "application/json", Schema: t.OutputSchema}
	}
	s.OutputPorts = []specs.Port{out}

	args, complete := literals(root, root.required())
	id := nodeID(t.Name)
	s.Skeleton = skeleton(id, t, args)
	s.Examples = []specs.Example{example(id, t, root, args, complete)}
}

// An argument is a required argument with a value its schema accepts. Where
// none could be made the value is an expression that takes it from the entry.
type argument struct {
	member
	computed bool
}

// literals makes a value for every required argument; complete is false when an
// expression stands in for some.
func literals(root *schema, required []string) (args []argument, complete bool) {
	m := &maker{root: root}
	for _, name := range required {
		args = append(args, argument{member: member{name, m.value(root.property(name), name, 0)}})
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "not", "if", "minProperties", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames"} {
		if _, ok := root.fields[keyword]; ok {
			m.unsure = true
		}
	}
	if !m.unsure {
		return args, true
	}
	compiled, err := compileSchema(root.raw)
	if err != nil {
		return args, true
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(object(args)))
	if err != nil {
		return args, true
	}
	err = compiled.Validate(value)
	if _, refused := errors.AsType[*bounded.Refusal](err); refused {
		return args, false
	}
	wrong := map[string]bool{}
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		collect(e, wrong)
	}
	complete = len(wrong) == 0
	for i, a := range args {
		if wrong[a.name] {
			args[i].value = json.RawMessage(`{"expr":` + quote(entryPath(a.name)) + `}`)
			args[i].computed = true
		}
	}
	return args, complete
}

// collect notes the arguments in which faults lie.
func collect(e *jsonschema.ValidationError, wrong map[string]bool) {
	if len(e.InstanceLocation) > 0 {
		wrong[e.InstanceLocation[0]] = true
	}
	for _, c := range e.Causes {
		collect(c, wrong)
	}
}

// object writes arguments as a JSON object in their order.
func object(args []argument) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i, a := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(a.name) + ":")
		b.Write(a.value)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func skeleton(id string, t *Tool, args []argument) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"id":%s,"type":"mcp","server":%s,"tool":%s,"args":%s,"next":"exit"}`,
		quote(id), quote(t.Server), quote(t.Name), object(args)))
}

// example is a graph that hands its own arguments to the tool.
func example(id string, t *Tool, root *schema, args []argument, complete bool) specs.Example {
	var props, passed, names []string
	for _, a := range args {
		schema := root.property(a.name)
		// A reference points into the tool's own schema, which is not repeated here.
		if len(schema) == 0 || len(schema) > largeProperty || schema[0] != '{' || bytes.Contains(schema, []byte(`Ref"`)) || bytes.Contains(schema, []byte(`ref"`)) {
			schema = json.RawMessage(`{}`)
		}
		props = append(props, key(a.name)+": "+string(schema))
		passed = append(passed, fmt.Sprintf("%s: {expr: %s}", key(a.name), quote(entryPath(a.name))))
		names = append(names, key(a.name))
	}
	var y strings.Builder
	fmt.Fprintf(&y, "name: %s\ndescription: %s\n", key("call_"+id), quote("Calls "+t.Name+" of "+t.Server))
	fmt.Fprintf(&y, "inputSchema: {type: object, properties: {%s}, required: [%s]}\n", strings.Join(props, ", "), strings.Join(names, ", "))
	y.WriteString("outputSchema: {type: object}\nnodes:\n")
	fmt.Fprintf(&y, "  - {id: entry, type: entry, next: %s}\n", id)
	fmt.Fprintf(&y, "  - {id: %s, type: mcp, server: %s, tool: %s, args: {%s}, next: exit}\n", id, key(t.Server), key(t.Name), strings.Join(passed, ", "))
	y.WriteString("  - {id: exit, type: exit}\n")
	e := specs.Example{Title: "Call " + t.Name, Graph: y.String()}
	if complete {
		e.Arguments = object(args)
	}
	return e
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// yamlWords are plain words that some reader of YAML takes for something else.
var yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// key writes a name as YAML.
func key(name string) string {
	if identifier.MatchString(name) && !slices.Contains(yamlWords, strings.ToLower(name)) {
		return name
	}
	return quote(name)
}

// entryPath is the expression for an argument of the graph.
func entryPath(name string) string {
	if identifier.MatchString(name) && !slices.Contains([]string{"and", "or", "in", "true", "false", "null"}, name) {
		return "$.entry." + name
	}
	return "$.entry.`" + strings.ReplaceAll(name, "`", "") + "`"
}

// nodeID makes a tool's name an id that expressions can use as it is.
func nodeID(tool string) string {
	id := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, tool)
	if !identifier.MatchString(id) || slices.Contains([]string{"entry", "exit", "and", "or", "in"}, id) || slices.Contains(yamlWords, strings.ToLower(id)) {
		id = "call_" + id
	}
	return id
}

func quote(s string) string {
	if plain(s) {
		return `"` + s + `"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string cannot fail
	return strings.TrimSpace(b.String())
}

// plain reports whether s is the same within JSON quotes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return true
}

// decode reads a JSON value, numbers as json.Number; nil when it is none.
func decode(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
