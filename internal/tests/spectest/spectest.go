// Package spectest checks the examples of specs that are made of tools.
package spectest

import (
	"encoding/json"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Arguments validates arguments against a tool's schema.
func Arguments(t *testing.T, tool string, inputSchema, args json.RawMessage) {
	t.Helper()
	if found := schema.New(inputSchema).Check(args); len(found) > 0 {
		t.Errorf("%s: the arguments %s do not satisfy %s: %v", tool, args, inputSchema, found)
	}
}

// Example checks the graph of an example as YAML reads it.
func Example(t *testing.T, s *specs.Spec) {
	t.Helper()
	var graph struct {
		Name        string         `yaml:"name"`
		InputSchema map[string]any `yaml:"inputSchema"`
		Nodes       []struct {
			ID, Type, Server, Tool, Next string
			Args                         map[string]map[string]string
		} `yaml:"nodes"`
	}
	if err := yaml.Unmarshal([]byte(s.Examples[0].Graph), &graph); err != nil {
		t.Fatalf("%s: %v\n%s", s.ID(), err, s.Examples[0].Graph)
	}
	if len(graph.Nodes) != 3 {
		t.Fatalf("%s: %d nodes", s.ID(), len(graph.Nodes))
	}
	n := graph.Nodes[1]
	if graph.Nodes[0].Next != n.ID || n.Next != graph.Nodes[2].ID || n.Server+"/"+n.Tool != s.Subtype || !identifier.MatchString(n.ID) {
		t.Errorf("%s: example calls %+v", s.ID(), n)
	}
	for _, p := range s.Parameters {
		if _, ok := n.Args[p.Name]; ok != p.Required {
			t.Errorf("%s: argument %q given: %t, required: %t", s.ID(), p.Name, ok, p.Required)
		}
	}
}
