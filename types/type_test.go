package types

import (
	"testing"
)

// Union and intersection never lose a value.
func TestShapesHoldTheirValues(t *testing.T) {
	values := []any{nil, true, 1.0, 1.5, "a", "b", []any{}, []any{1.0, "a"}, map[string]any{}, map[string]any{"a": 1.0}, map[string]any{"a": "x", "b": nil}}
	var shapes []Type
	for _, v := range values {
		shapes = append(shapes, OfJSON(v, true), OfJSON(v, false))
	}
	shapes = append(shapes, Unknown(), Of(JSON), ObjectOf(false), ObjectOf(true, Field{Name: "a", Type: Of(Number), Optional: true}))
	for _, s := range shapes {
		for _, u := range shapes {
			or, and := s.Or(u), s.And(u)
			for _, v := range values {
				if (s.Contains(v) || u.Contains(v)) && !or.Contains(v) {
					t.Errorf("%v is in %s or %s, but not in their union %s", v, s, u, or)
				}
				if s.Contains(v) && u.Contains(v) && !and.Contains(v) {
					t.Errorf("%v is in %s and %s, but not in their intersection %s", v, s, u, and)
				}
			}
		}
	}
}
