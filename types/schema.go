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
	case 0:
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
