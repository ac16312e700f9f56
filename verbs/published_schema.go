package verbs

import (
	"bytes"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/graph"
)

// inputSchema is an author's schema of arguments in the form that MCP clients
// accept.
func inputSchema(v graph.Value) json.RawMessage {
	if !v.Is(graph.Map) || v.Get("type").Exists() && v.Get("type").Text() != "object" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return objectSchema(v)
}

// outputSchema is a schema of the structured content of a graph's reply: its
// author's for an object, and the wrapped one for any other value. A schema that
// does not tell which promises no more than an object.
func outputSchema(v graph.Value) json.RawMessage {
	if !v.Is(graph.Map) || v.Len() == 0 {
		return nil
	}
	switch typ := v.Get("type"); {
	case typ.Text() == "object", !typ.Exists() && v.Get("properties").Exists():
		return objectSchema(v)
	case !typ.Is(graph.String):
		return json.RawMessage(`{"type":"object"}`)
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"result": json.RawMessage(v.JSON())}, "required": []string{"result"}})
	if err != nil {
		return nil
	}
	return b
}

// objectSchema writes the schema of an object with its type, which MCP demands,
// and with properties that are objects: some clients refuse the whole list of
// tools for one property that is true.
func objectSchema(v graph.Value) json.RawMessage {
	var b bytes.Buffer
	member := func(key string, value []byte) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(key) // a string cannot fail
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('{')
	if !v.Get("type").Exists() {
		member("type", []byte(`"object"`))
	}
	for _, key := range v.Keys() {
		value := v.Get(key)
		if key != "properties" || !value.Is(graph.Map) {
			member(key, value.JSON())
			continue
		}
		outer := b
		b = bytes.Buffer{}
		b.WriteByte('{')
		for _, name := range value.Keys() {
			switch p := value.Get(name); {
			case !p.Is(graph.Bool):
				member(name, p.JSON())
			case p.Bool():
				member(name, []byte(`{}`))
			default:
				member(name, []byte(`{"not":{}}`))
			}
		}
		b.WriteByte('}')
		properties := b.Bytes()
		b = outer
		member(key, properties)
	}
	b.WriteByte('}')
	return b.Bytes()
}
