package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Document is the part of a JSON Schema that people read: enough to describe a
// value, not to check one.
type Document struct {
	Type        json.RawMessage   `json:"type"`
	Description string            `json:"description"`
	Properties  object            `json:"properties"`
	Required    []string          `json:"required"`
	Items       json.RawMessage   `json:"items"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Default     json.RawMessage   `json:"default"`
	Examples    []json.RawMessage `json:"examples"`
	Minimum     json.RawMessage   `json:"minimum"`
	MinLength   int               `json:"minLength"`
	MinItems    int               `json:"minItems"`
	Pattern     string            `json:"pattern"`
	Format      string            `json:"format"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	OneOf       []json.RawMessage `json:"oneOf"`
}

// object is a JSON object that keeps the order of its keys.
type object struct {
	Keys   []string
	Values map[string]json.RawMessage
}

func (o *object) UnmarshalJSON(b []byte) error {
	o.Keys, o.Values = nil, map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil //nolint:nilerr // properties of another shape say nothing
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name, _ := key.(string)
		if _, dup := o.Values[name]; !dup {
			o.Keys = append(o.Keys, name)
		}
		o.Values[name] = value
	}
	return nil
}

// ReadDocument reads the keywords of a schema. What cannot be read is empty.
func ReadDocument(raw json.RawMessage) *Document {
	var s Document
	if json.Unmarshal(raw, &s) != nil {
		return &Document{}
	}
	return &s
}

// Types lists the types the schema allows, "any" when it does not say.
func (s *Document) Types() []string {
	var one string
	var many []string
	if json.Unmarshal(s.Type, &one) == nil && one != "" {
		return []string{one}
	}
	if json.Unmarshal(s.Type, &many) == nil && len(many) > 0 {
		return many
	}
	for _, alternatives := range [][]json.RawMessage{s.AnyOf, s.OneOf} {
		for _, a := range alternatives {
			for _, t := range ReadDocument(a).Types() {
				if !slices.Contains(many, t) {
					many = append(many, t)
				}
			}
		}
	}
	if len(many) > 0 {
		return many
	}
	switch {
	case len(s.Properties.Keys) > 0:
		return []string{"object"}
	case len(s.Items) > 0:
		return []string{"array"}
	}
	return []string{"any"}
}

// Parameters returns the arguments that a JSON Schema of an object declares,
// required ones first, otherwise in the schema's order.
func Parameters(raw json.RawMessage) []specs.Parameter {
	s := ReadDocument(raw)
	var required, optional []specs.Parameter
	for _, name := range s.Properties.Keys {
		p := ReadDocument(s.Properties.Values[name])
		param := specs.Parameter{
			Name: name, Type: strings.Join(p.Types(), "|"), Required: slices.Contains(s.Required, name),
			Description: p.Description, ValidationPattern: p.Pattern,
		}
		if len(p.Default) > 0 {
			param.DefaultValue = p.Default
		}
		for _, e := range p.Enum {
			param.EnumValues = append(param.EnumValues, e)
		}
		if param.Required {
			required = append(required, param)
		} else {
			optional = append(optional, param)
		}
	}
	return append(required, optional...)
}

// encode writes a value as JSON without escaping for HTML.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}
