package run

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
)

// Bounds of what a server asks a person.
const (
	maxAskedText   = 4000     // characters of its message
	maxAskedSchema = 64 << 10 // bytes of its schema
)

// ServerQuestion returns the question that a server asks a person for a call of a tool. Its
// texts are bounded, invisible characters in them are made visible, and the message names
// the server. The params are those of elicitation/create; an error says, as the end of a
// sentence, why they are not a question that can be put.
func ServerQuestion(server, tool string, params json.RawMessage) (Question, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return Question{}, errors.New("it cannot be read")
	}
	switch {
	case p.Mode != "" && p.Mode != "form":
		return Question{}, fmt.Errorf("its mode is %q, and a run can only show forms", diag.Excerpt(p.Mode))
	case len(p.Schema) > maxAskedSchema:
		return Question{}, fmt.Errorf("its schema has more than %d bytes", maxAskedSchema)
	}
	q := Question{Server: server, Message: fmt.Sprintf("The server %s asks, for a call of its tool %s: %s", server, diag.Visible(tool), diag.Visible(diag.Cut(p.Message, maxAskedText)))}
	if len(p.Schema) == 0 || string(p.Schema) == "null" {
		return q, nil
	}
	v, err := expr.Decode(p.Schema)
	if err != nil || schema.Read(p.Schema).Get("type").Text() != "object" {
		return Question{}, errors.New("its schema is not that of an object")
	}
	q.Schema, err = expr.Encode(visible(v))
	return q, err
}

// visible is a value with the invisible characters in its texts made visible.
func visible(v expr.Value) expr.Value {
	switch v := v.(type) {
	case string:
		return diag.Visible(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = visible(item)
		}
		return out
	case expr.Object:
		out := expr.NewObject()
		for _, key := range v.Keys() {
			member, _ := v.Get(key)
			out.Set(diag.Visible(key), visible(member))
		}
		return out
	}
	return v
}
