package schema

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/types"
)

// Type is what values the schema allows; a nil or unusable one allows all.
func (s *Schema) Type() types.Type {
	if s == nil || s.Err() != nil {
		return types.Unknown()
	}
	s.typeOnce.Do(func() { s.typed, _ = TypeOf(s.Raw) })
	return s.typed
}

// ArgumentType is what a run's arguments are once the schema's defaults are
// filled in.
func (s *Schema) ArgumentType() types.Type {
	shape := s.Type()
	if shape.IsUnknown() {
		return types.Of(types.Object)
	}
	var props struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(s.Raw, &props)
	fields := make([]types.Field, len(shape.Fields))
	for i, f := range shape.Fields {
		if len(props.Properties[f.Name].Default) > 0 {
			f.Optional = false
		}
		fields[i] = f
	}
	return types.ObjectOf(shape.Closed, fields...)
}
