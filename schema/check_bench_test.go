package schema_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A result of 100 rows is checked as a value, and as the JSON of it.
func BenchmarkCheck(b *testing.B) {
	v, err := expr.Decode([]byte(`{"rows":[` + strings.Repeat(`{"id":17,"name":"a name","price":1.5,"tags":["x","y"]},`, 99) + `{"id":1}]}`))
	if err != nil {
		b.Fatal(err)
	}
	s := schema.New([]byte(`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}}}}}`))
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			plain, _ := expr.Plain(v)
			if s.CheckValue(plain) != nil {
				b.Fatal()
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			text, _ := expr.Encode(v)
			if s.Check(text) != nil {
				b.Fatal()
			}
		}
	})
}
