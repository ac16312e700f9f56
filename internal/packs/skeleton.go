package packs

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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
	parameters := graph.Object{}
	for _, p := range s.Parameters {
		switch value, ok := example[p.Name]; {
		case !p.Required:
		case ok:
			parameters = append(parameters, graph.Pair{Key: p.Name, Value: value})
		case p.DefaultValue != nil:
			parameters = append(parameters, graph.Pair{Key: p.Name, Value: p.DefaultValue})
		case len(p.EnumValues) > 0:
			parameters = append(parameters, graph.Pair{Key: p.Name, Value: p.EnumValues[0]})
		default:
			parameters = append(parameters, graph.Pair{Key: p.Name, Value: "<" + p.Type + ">"})
		}
	}
	id := strings.ToLower(s.Subtype)
	if id == "" {
		id = strings.ToLower(s.NodeType)
	}
	node := graph.Object{{Key: "id", Value: id}, {Key: "type", Value: s.NodeType}}
	if s.Subtype != "" {
		node = append(node, graph.Pair{Key: "subtype", Value: s.Subtype})
	}
	if len(parameters) > 0 {
		node = append(node, graph.Pair{Key: "parameters", Value: parameters})
	}
	if next := nextOf(s.OutputPorts); next != nil {
		node = append(node, graph.Pair{Key: "next", Value: next})
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

// nextOf leads from the ports of a node: by name if there are several.
func nextOf(ports []specs.Port) any {
	switch len(ports) {
	case 0:
		return nil
	case 1:
		return nextNode
	}
	next := graph.Object{}
	for _, p := range ports {
		next = append(next, graph.Pair{Key: p.Name, Value: nextNode})
	}
	return next
}
