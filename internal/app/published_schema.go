package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// inputSchema is an author's schema of arguments in the form that MCP clients
// accept, and what of it is left out.
func inputSchema(v graph.Value) (json.RawMessage, []string) {
	if !v.Is(graph.Map) || v.Get("type").Exists() && v.Get("type").Text() != "object" {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	return objectSchema(v, "inputSchema")
}

// outputSchema is a schema of the structured content of a graph's reply: its
// author's for an object, and the wrapped one for any other value. A schema that
// does not tell which promises no more than an object.
func outputSchema(v graph.Value) (json.RawMessage, []string) {
	const name = "outputSchema"
	if !v.Is(graph.Map) || v.Len() == 0 {
		return nil, nil
	}
	switch typ := v.Get("type"); {
	case typ.Text() == "object", !typ.Exists() && v.Get("properties").Exists():
		return objectSchema(v, name)
	case !typ.Is(graph.String):
		return json.RawMessage(`{"type":"object"}`), nil
	}
	return encoded(listed(v, name, true))
}

// objectSchema writes the schema of an object with its type, which MCP demands.
func objectSchema(v graph.Value, name string) (json.RawMessage, []string) {
	schema, notes := listed(v, name, false)
	if !slices.ContainsFunc(schema, func(p graph.Pair) bool { return p.Key == "type" }) {
		schema = append(graph.Object{{Key: "type", Value: "object"}}, schema...)
	}
	return encoded(schema, notes)
}

func encoded(schema graph.Object, notes []string) (json.RawMessage, []string) {
	b, err := json.Marshal(schema)
	if err == nil {
		b, _, err = visibleTexts(b)
	}
	if err != nil {
		return json.RawMessage(`{"type":"object"}`), notes
	}
	return b, notes
}

// visibleTexts is a JSON text whose strings are as [diag.Visible] writes them, and whether
// that changes any: they then say to a client what a person who looks at them sees.
func visibleTexts(raw []byte) (out []byte, changed bool, err error) {
	if !bytes.Contains(raw, []byte(`\u`)) && diag.Visible(string(raw)) == string(raw) {
		return raw, false, nil
	}
	var b bytes.Buffer
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	from, to := jsontext.NewDecoder(bytes.NewReader(raw), lenient...), jsontext.NewEncoder(&b, lenient...)
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && token.Kind() == '"' {
			text := token.String()
			token = jsontext.String(diag.Visible(text))
			changed = changed || token.String() != text
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil {
			return nil, true, err
		}
	}
	if !changed {
		return raw, false, nil
	}
	return bytes.TrimSpace(b.Bytes()), true, nil
}

// conceals reports whether a text of a value has characters that cannot be seen.
func conceals(v graph.Value) bool {
	_, changed, err := visibleTexts(v.JSON())
	return changed || err != nil
}
