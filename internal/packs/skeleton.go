package packs

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// nextNode stands for the id of a node in a skeleton.
const nextNode = "<node>"

// skeleton is a node to copy: its required parameters with the values of the first
// example, else with their defaults, and the ports that lead on.
func skeleton(s *specs.Spec) json.RawMessage {
	var example map[string]json.RawMessage
	if len(s.Examples) > 0 {
		_ = json.Unmarshal(s.Examples[0].Parameters, &example) // none is as good
	}
	parameters := graph.Members{}
	for _, p := range s.Parameters {
		switch value, ok := example[p.Name]; {
		case !p.Required:
		case ok:
			parameters = parameters.With(p.Name, value)
		case p.DefaultValue != nil:
			parameters = parameters.With(p.Name, p.DefaultValue)
		case len(p.EnumValues) > 0:
			parameters = parameters.With(p.Name, p.EnumValues[0])
		default:
			parameters = parameters.With(p.Name, "<"+p.Type+">")
		}
	}
	id := strings.ToLower(s.Subtype)
	if id == "" {
		id = strings.ToLower(s.NodeType)
	}
	node := graph.Members{{Key: "id", Value: id}, {Key: "type", Value: s.NodeType}}
	if s.Subtype != "" {
		node = node.With("subtype", s.Subtype)
	}
	if len(parameters) > 0 {
		node = node.With("parameters", parameters)
	}
	if next := nextSkeleton(s.OutputPorts); next != nil {
		node = node.With("next", next)
	}
	text, err := json.Marshal(node)
	if err != nil {
		return nil
	}
	if text, err = jsontext.AppendFormat(nil, text, jsontext.PreserveRawStrings(false)); err != nil { // < and > as they are
		return nil
	}
	return text
}

// nextSkeleton leads from the ports of a node: by name if there are several.
func nextSkeleton(ports []specs.Port) any {
	switch len(ports) {
	case 0:
		return nil
	case 1:
		return nextNode
	}
	next := graph.Members{}
	for _, p := range ports {
		next = next.With(p.Name, nextNode)
	}
	return next
}

var (
	ruleUnreadableFile = diag.Define("unreadable-file", diag.Error, "A file of a knowledge pack cannot be read, or is too large. "+
		"The nodes of the other files are used.")
	ruleDuplicateManifest = diag.Define("duplicate-manifest", diag.Error, "A knowledge pack has two manifests. "+
		"The first of pack.json, pack.yaml and pack.yml counts.")
	ruleBadShape = diag.Define("bad-shape", diag.Error, "A part of a knowledge pack does not have the shape that the pack's schema describes: "+
		"a key is missing or unknown, or a value has the wrong type. The node is left out.")
	ruleUnknownPackType = diag.Define("unknown-pack-type", diag.Error, "A node, port or parameter of a knowledge pack has a type that does not exist. "+
		"Node types and port types are those of the manifest; parameter types are fixed.")
	ruleReservedType = diag.Define("reserved-type", diag.Error, "A node of a knowledge pack has a type that Patchbay uses for its own nodes: mcp, graph or idiom. "+
		"The node is left out.")
	ruleDuplicateNode = diag.Define("duplicate-node", diag.Error, "Two nodes of a knowledge pack have the same type and subtype. "+
		"The first one counts.")
	ruleDuplicateParameter = diag.Define("duplicate-parameter", diag.Error, "Two parameters of a knowledge pack's node have the same name.")
	ruleDuplicatePort      = diag.Define("duplicate-port", diag.Error, "Two input ports or two output ports of a knowledge pack's node have the same name.")
	ruleBadPattern         = diag.Define("bad-pattern", diag.Error, "The validation_pattern of a knowledge pack's parameter is not an RE2 regular expression, or the parameter is not a string.")
	ruleBadEnum            = diag.Define("bad-enum", diag.Error, "One of the enum_values of a knowledge pack's parameter does not have the parameter's type.")
	ruleBadDefault         = diag.Define("bad-default", diag.Error, "The default_value of a knowledge pack's parameter is not a value that the parameter takes.")
	ruleBadPortSchema      = diag.Define("bad-port-schema", diag.Error, "A port of a knowledge pack's node has a schema that is not a valid JSON Schema.")
	ruleBadExample         = diag.Define("bad-example", diag.Error, "An example in a knowledge pack does not match the pack's own description. "+
		"An example of a node gives the required parameters, each a value that it takes; an example of a port satisfies the port's schema.")
	ruleNoExample = diag.Define("no-example", diag.Warning, "A node of a knowledge pack has no example. "+
		"Agents copy examples, so a node with one is used correctly more often.")
)
