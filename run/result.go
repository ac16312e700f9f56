package run

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/schema"
)

// ErrAsksForInput is the error of [ReadResult] for a reply that asks for something
// before the call is made.
var ErrAsksForInput = errors.New("it asks for input")

// ReadResult reads the result object of tools/call. The result keeps raw. An error
// says, as the end of a sentence, why it is not a tool result.
func ReadResult(raw json.RawMessage) (*Result, error) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
		Type       string          `json:"resultType"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("%q is a JSON %s", e.Field, e.Value)
		}
		return nil, err
	}
	if r.Type == inputRequired {
		return nil, ErrAsksForInput
	}
	out := &Result{IsError: r.IsError, Raw: raw}
	if r.Structured != nil && string(r.Structured) != "null" {
		out.Structured = r.Structured
	}
	if r.Content != nil && json.Unmarshal(r.Content, &out.Content) != nil {
		return nil, errors.New(`"content" is not an array`)
	}
	if r.Content == nil && out.Structured == nil {
		return nil, errors.New(`it has neither "content" nor "structuredContent"`)
	}
	return out, nil
}

const inputRequired = "input_required"

// AsksForInput reports whether the server has not made the call yet, but asks for
// something first: Raw says what, and has no content.
func (r *Result) AsksForInput() bool {
	return r.Raw != nil && schema.Read(r.Raw).Get("resultType").Text() == inputRequired
}
