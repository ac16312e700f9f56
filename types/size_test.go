package types_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/types"
)

// TestBoundedTypesDoNotDouble builds an object that has its neighbour in each of ten
// fields, a hundred times: it stays small enough to be written, compared and united,
// and its values stay in it.
func TestBoundedTypesDoNotDouble(t *testing.T) {
	s, value := types.Of(types.Integer), any(1.0)
	for range 100 {
		var fields []types.Field
		values := map[string]any{}
		for name := range strings.SplitSeq("abcdefghij", "") {
			fields, values[name] = append(fields, types.Field{Name: name, Type: s}), value
		}
		s, value = types.ObjectOf(true, fields...).Bound(), values
		if len(s.Fields) != 10 {
			t.Fatal("the fields are no longer known: ", s)
		}
	}
	if n := count(s); n > types.MaxSize {
		t.Errorf("a bounded type consists of %d types, want at most %d", n, types.MaxSize)
	}
	if s.HoldsFunction(0) || !s.Or(types.ObjectOf(true)).Has(types.Object) || !s.And(s).Has(types.Object) {
		t.Error(s)
	}
	var list types.Type
	for range 100 {
		list = types.ArrayWith(list.Or(types.Of(types.String)), []types.Type{list, list, list}).Bound()
	}
	if n := count(list); n > types.MaxSize {
		t.Errorf("a bounded list consists of %d types, want at most %d", n, types.MaxSize)
	}
	small := types.ObjectOf(true, types.Field{Name: "a", Type: types.ArrayOf(types.Of(types.String))})
	if !small.Bound().Equal(small) {
		t.Error("a small type is changed: ", small.Bound())
	}
}

func count(s types.Type) int {
	n := 1
	if s.Elem != nil {
		n += count(*s.Elem)
	}
	for _, item := range s.Known {
		n += count(item)
	}
	for _, f := range s.Fields {
		n += count(f.Type)
	}
	return n
}
