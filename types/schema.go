package types

// SchemaOf returns a type as a JSON Schema that allows at least its values.
func SchemaOf(s Type) map[string]any {
	schema := map[string]any{}
	var names []string
	for _, k := range []struct {
		kind Kind
		name string
	}{
		{Null, "null"},
		{Boolean, "boolean"},
		{Fraction, "number"},
		{Integer, "integer"},
		{String, "string"},
		{Array, "array"},
		{Object, "object"},
	} {
		if s.Has(k.kind) && (k.name != "integer" || !s.Has(Fraction)) {
			names = append(names, k.name)
		}
	}
	switch len(names) {
	case 0, 6: // of any type
	case 1:
		schema["type"] = names[0]
	default:
		schema["type"] = names
	}
	if s.Has(Array) && s.Elem != nil && s.Elem.Kinds != 0 {
		schema["items"] = SchemaOf(*s.Elem)
	}
	if len(s.Fields) > 0 {
		properties := map[string]any{}
		var required []string
		for _, f := range s.Fields {
			properties[f.Name] = SchemaOf(f.Type)
			if !f.Optional {
				required = append(required, f.Name)
			}
		}
		schema["properties"] = properties
		if len(required) > 0 {
			schema["required"] = required
		}
	}
	return schema
}

// MaxSize is how many types a type may consist of before it says less: an object that
// has its neighbour twice, in a row of such, would otherwise double with each.
const MaxSize = 5000

// sized notes how many types s consists of, counted as a tree.
func (s Type) sized() Type {
	n := int32(1)
	if s.Elem != nil {
		n += s.Elem.count()
	}
	for i := range s.Known {
		n += s.Known[i].count()
	}
	for i := range s.Fields {
		if n += s.Fields[i].Type.count(); n > 1<<28 {
			n = 1 << 28
		}
	}
	s.size = n
	return s
}

func (s *Type) count() int32 { return max(s.size, 1) }

// Bound returns s, or where it consists of more than [MaxSize] types a superset that
// knows its fields and items by their kinds only.
func (s Type) Bound() Type {
	if s.size <= MaxSize {
		return s
	}
	if s.Elem != nil {
		s.Elem = Pointer(s.Elem.flat())
	}
	s.Known = nil
	fields := make([]Field, len(s.Fields))
	for i, f := range s.Fields {
		f.Type = f.Type.flat()
		fields[i] = f
	}
	s.Fields = fields
	return s.sized()
}

// flat is s without what is in its arrays and objects.
func (s Type) flat() Type {
	if s.count() == 1 {
		return s
	}
	return Type{Kinds: s.Kinds, OnlyPastEnd: s.OnlyPastEnd}
}
