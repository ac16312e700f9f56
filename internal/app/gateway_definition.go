package app

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

// maxToolName is how many bytes the name of a tool may have in MCP.
const maxToolName = 128

// LegalInName reports whether the names of tools may have a character.
func LegalInName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}

// CheckTool says why a definition cannot be listed: clients refuse a list for one tool
// without a valid name or without an inputSchema of an object.
func CheckTool(def json.RawMessage) error {
	var t struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(def, &t); err != nil {
		return errors.New("its definition cannot be read")
	}
	if t.Name == "" || len(t.Name) > maxToolName {
		return fmt.Errorf("its name has %d characters, where 1 to %d are allowed", len(t.Name), maxToolName)
	}
	for _, r := range t.Name {
		if !LegalInName(r) {
			return fmt.Errorf("its name has the character %q; letters, digits, _, - and . are allowed", r)
		}
	}
	var schema struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(t.Input, &schema) != nil || schema.Type != "object" {
		return errors.New("its inputSchema is not of an object")
	}
	return nil
}

// definitionOf is that of a tool under the name that clients see. What the server says
// is kept, but for an inputSchema that clients would refuse.
func definitionOf(t *downstream.Tool, name string) (json.RawMessage, error) {
	raw := t.Raw
	if raw == nil { // from a cache of a process without a gateway
		whole := map[string]any{"name": t.Name, "inputSchema": t.InputSchema}
		if t.Title != "" {
			whole["title"] = t.Title
		}
		if t.Description != "" {
			whole["description"] = t.Description
		}
		if len(t.OutputSchema) > 0 {
			whole["outputSchema"] = t.OutputSchema
		}
		if a := t.Annotations; a != nil {
			hints := map[string]bool{}
			for name, hint := range map[string]*bool{"readOnlyHint": a.ReadOnly, "destructiveHint": a.Destructive, "idempotentHint": a.Idempotent, "openWorldHint": a.OpenWorld} {
				if hint != nil {
					hints[name] = *hint
				}
			}
			whole["annotations"] = hints
		}
		var err error
		if raw, err = json.Marshal(whole); err != nil {
			return nil, err
		}
	}
	raw, err := visibleDefinition(raw)
	if err != nil {
		return nil, err
	}
	def, err := Renamed(raw, name)
	if err != nil {
		return nil, err
	}
	if err := CheckTool(def); err != nil {
		return nil, err
	}
	return def, nil
}

// visibleDefinition is a definition without characters that cannot be seen. Schemas that
// have some are listed as those of saved graphs.
func visibleDefinition(raw json.RawMessage) (json.RawMessage, error) {
	if _, changed, err := visibleTexts(raw); !changed {
		return raw, err
	}
	members, err := Members(raw)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		doc, _ := graph.Parse(m.Name, m.Value)
		switch {
		case doc == nil || !doc.Root.Is(graph.Map) || !conceals(doc.Root):
		case m.Name == "inputSchema", m.Name == "outputSchema":
			members[i].Value, _ = objectSchema(doc.Root, m.Name)
		}
	}
	raw, _, err = visibleTexts(Joined(members))
	return raw, err
}

// Renamed is a definition in which the member name has another value, and all else is
// as it was.
func Renamed(raw json.RawMessage, name string) (json.RawMessage, error) {
	members, err := Members(raw)
	if err != nil {
		return nil, err
	}
	text, err := encode(name)
	if err != nil {
		return nil, err
	}
	for i := range members {
		if members[i].Name == "name" {
			members[i].Value = text
			return Joined(members), nil
		}
	}
	return Joined(append([]Member{{"name", text}}, members...)), nil
}
