package tooldef

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// HashPrefix is how much of a definition's hash is its version.
const HashPrefix = 12

// largeProperty is the size in bytes above which an example does not repeat a
// property's schema.
const largeProperty = 1000

// maxExampleArgs is how many required arguments a tool with an example has at most.
const maxExampleArgs = 100

// Spec returns the catalog's knowledge of a tool: parameters from its schema, and
// on demand ports, a node ready to be copied, and a whole graph that calls it.
func Spec(t *Tool) *specs.Spec {
	s := &specs.Spec{
		NodeType: specs.MCP, Subtype: t.Server + "/" + t.Name,
		Version: t.Hash[:min(HashPrefix, len(t.Hash))],
		Title:   t.Title, Description: t.Description,
		Category: "tool", Source: "server:" + t.Server,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Annotations: t.Annotations,
		Derive:      func(s *specs.Spec) { derive(s, t) },
	}
	s.Parameters = schema.Parameters(schema.Read(t.InputSchema))
	return s
}

// Specs returns the [Spec] of each tool, in the order of the tools. Long lists are
// read by all processors.
func Specs(tools []*Tool) []*specs.Spec {
	list := make([]*specs.Spec, len(tools))
	var work sync.WaitGroup
	for workers, first := min(runtime.GOMAXPROCS(0), len(tools)), 0; first < workers; first++ {
		work.Go(func() {
			for i := first; i < len(tools); i += workers {
				list[i] = Spec(tools[i])
			}
		})
	}
	work.Wait()
	return list
}

// derive adds what follows from the tool's schemas to its spec.
func derive(s *specs.Spec, t *Tool) {
	input := schema.Read(t.InputSchema)
	s.InputPorts = make([]specs.Port, len(s.Parameters))
	for i, p := range s.Parameters {
		s.InputPorts[i] = specs.Port{
			Name: p.Name, Type: p.Type, Required: p.Required, Description: p.Description,
			MaxConnections: 1, ValidationSchema: input.Property(p.Name).Raw(),
		}
	}
	out := specs.Port{Name: "output", Type: "any", Description: "the tool's structured content, or the JSON or text of its content"}
	if t.OutputSchema != nil {
		out.Type = schema.Read(t.OutputSchema).TypeName()
		out.DataFormat = &specs.DataFormat{MimeType: "application/json", Schema: t.OutputSchema}
	}
	s.OutputPorts = []specs.Port{out}

	args, complete := schema.Arguments(input)
	for i, a := range args {
		if a.Value == nil { // the author says it, as an argument of the graph
			args[i].Value = json.RawMessage(`{"expr":` + quote(entryPath(a.Name)) + `}`)
		}
	}
	id := nodeID(t.Name)
	s.Skeleton = skeleton(id, t, args)
	if len(args) <= maxExampleArgs {
		s.Examples = []specs.Example{example(id, t, args, complete)}
	}
}

func skeleton(id string, t *Tool, args []schema.Argument) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"id":%s,"type":"mcp","server":%s,"tool":%s,"args":%s,"next":"exit"}`,
		quote(id), quote(t.Server), quote(t.Name), schema.ArgumentsObject(args)))
}

// example is a graph that hands its own arguments to the tool.
func example(id string, t *Tool, args []schema.Argument, complete bool) specs.Example {
	var props, passed, names []string
	for _, a := range args {
		property := a.Schema.Raw()
		// A reference points into the tool's own schema, which is not repeated here.
		if len(property) > largeProperty || !a.Schema.IsObject() || bytes.Contains(property, []byte(`Ref"`)) || bytes.Contains(property, []byte(`ref"`)) {
			property = json.RawMessage(`{}`)
		}
		props = append(props, key(a.Name)+": "+string(property))
		passed = append(passed, fmt.Sprintf("%s: {expr: %s}", key(a.Name), quote(entryPath(a.Name))))
		names = append(names, key(a.Name))
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
		e.Arguments = schema.ArgumentsObject(args)
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
	return plainjson.Quote(s)
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
