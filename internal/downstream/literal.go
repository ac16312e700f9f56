package downstream

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds on a made-up value, and on the values made for one tool.
const (
	maxMakeDepth  = 6
	maxMakeRepeat = 64
	maxMakeValues = 300
	maxMakeBytes  = 16 << 10
)

// formats has a value for each format of JSON Schema that strings are given.
var formats = map[string]string{
	"date-time": "2025-01-01T00:00:00Z", "date": "2025-01-01", "time": "00:00:00Z", "duration": "PT1S",
	"email": "someone@example.com", "idn-email": "someone@example.com", "hostname": "example.com",
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/", "uri-reference": "/",
	"uuid": "00000000-0000-0000-0000-000000000000", "ipv4": "127.0.0.1", "ipv6": "::1", "regex": ".*", "json-pointer": "",
}

// A maker makes values that satisfy schemas. It is unsure where it met a keyword
// whose demands it only guesses at; the value must then be validated.
type maker struct {
	root   *schema
	unsure bool

	values, bytes int // made so far
}

// full reports whether enough was made. What is left out is then an ellipsis.
func (m *maker) full() bool { return m.values >= maxMakeValues || m.bytes >= maxMakeBytes }

// charge counts the bytes of a part.
func (m *maker) charge(part json.RawMessage) json.RawMessage {
	m.bytes += len(part)
	return part
}

// value makes a value for the property name.
func (m *maker) value(raw json.RawMessage, name string, depth int) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`"…"`)
	}
	if m.full() {
		m.unsure = true
		return json.RawMessage(`"…"`)
	}
	m.values++
	s := m.root.resolve(raw)
	if s.fields == nil {
		m.unsure = m.unsure || string(raw) == "false"
		return json.RawMessage(`"…"`)
	}
	if c, ok := s.fields["const"]; ok {
		return m.charge(c)
	}
	for _, field := range []string{"enum", "examples"} {
		if s.fields[field] == nil {
			continue
		}
		var values []json.RawMessage
		if json.Unmarshal(s.fields[field], &values) == nil && len(values) > 0 {
			m.unsure = m.unsure || field == "examples"
			return m.charge(values[0])
		}
	}
	if d, ok := s.fields["default"]; ok && string(d) != "null" {
		m.unsure = true
		return m.charge(d)
	}
	for _, keyword := range []string{"$ref", "$dynamicRef", "not", "if", "dependentRequired", "dependentSchemas", "minProperties", "contains", "uniqueItems", "propertyNames", "patternProperties"} {
		if _, ok := s.fields[keyword]; ok {
			m.unsure = true
		}
	}
	for _, field := range []string{"anyOf", "oneOf", "allOf"} {
		parts := s.list(field)
		if len(parts) == 0 {
			continue
		}
		m.unsure = true
		if depth < maxMakeDepth {
			s = m.merge(s, field, parts)
		}
	}
	if c, ok := s.fields["const"]; ok {
		return m.charge(c)
	}
	types := s.typeSet(0)
	kind := types[0]
	if i := slices.IndexFunc(types, func(t string) bool { return t != "null" }); i >= 0 {
		kind = types[i]
	}
	switch kind {
	case "null":
		return json.RawMessage(`null`)
	case "boolean":
		return json.RawMessage(`false`)
	case "integer", "number":
		return m.number(s, kind == "integer")
	case "array":
		return m.array(s, name, depth)
	case "object":
		return m.object(s, depth)
	}
	return m.charge(json.RawMessage(quote(m.text(s, name))))
}

// merge adds to s what its first alternative, or all its parts, demand.
func (m *maker) merge(s *schema, field string, parts []*schema) *schema {
	if field != "allOf" {
		choice := parts[0]
		for _, p := range parts {
			if t := s.resolve(p.raw).typeSet(0); len(t) == 0 || t[0] != "null" {
				choice = p
				break
			}
		}
		parts = []*schema{choice}
	}
	merged := s.sub(s.raw)
	merged.fields = map[string]json.RawMessage{}
	for name, value := range s.fields {
		if name != field {
			merged.fields[name] = value
		}
	}
	for _, p := range parts {
		for name, value := range s.resolve(p.raw).fields {
			switch name {
			case "properties", "required":
				merged.fields[name] = join(merged.fields[name], value)
			default:
				merged.fields[name] = value
			}
		}
	}
	return merged
}

// join puts two JSON objects, or two arrays, into one.
func join(a, b json.RawMessage) json.RawMessage {
	if len(a) <= 2 {
		return b
	}
	if len(b) <= 2 || a[0] != b[0] {
		return a
	}
	return json.RawMessage(string(a[:len(a)-1]) + "," + string(b[1:]))
}

func (m *maker) object(s *schema, depth int) json.RawMessage {
	if depth >= maxMakeDepth {
		m.unsure = true
		return json.RawMessage(`{}`)
	}
	var args []argument
	for _, name := range s.required() {
		if m.full() {
			m.unsure = true
			break
		}
		m.bytes += len(name)
		args = append(args, argument{member: member{name, m.value(s.property(name), name, depth+1)}})
	}
	return object(args)
}

func (m *maker) array(s *schema, name string, depth int) json.RawMessage {
	n := 0
	_ = json.Unmarshal(s.fields["minItems"], &n)
	if n <= 0 {
		return json.RawMessage(`[]`)
	}
	if n > maxMakeRepeat || depth >= maxMakeDepth {
		m.unsure = true
		return json.RawMessage(`[]`)
	}
	first := s.list("prefixItems")
	items := make([]string, n)
	for i := range items {
		raw := s.fields["items"]
		if i < len(first) {
			raw = first[i].raw
		}
		items[i] = string(m.value(raw, name, depth+1))
	}
	return json.RawMessage("[" + strings.Join(items, ",") + "]")
}

// number is the smallest number allowed, or 0 where it is allowed and there is
// no smallest.
func (m *maker) number(s *schema, integer bool) json.RawMessage {
	read := func(field string) (*big.Rat, string) {
		var n json.Number
		if json.Unmarshal(s.fields[field], &n) != nil || len(n) > 40 {
			return nil, ""
		}
		if e := strings.IndexAny(string(n), "eE"); e >= 0 {
			// 1e999999999 would be spelled out.
			if x, err := strconv.Atoi(string(n)[e+1:]); err != nil || x > 300 || x < -300 {
				return nil, ""
			}
		}
		r, ok := new(big.Rat).SetString(string(n))
		if !ok {
			return nil, ""
		}
		return r, string(n)
	}
	least, text := read("minimum")
	if least != nil && (!integer || least.IsInt()) && s.fields["multipleOf"] == nil && s.fields["exclusiveMinimum"] == nil {
		return json.RawMessage(text)
	}
	m.unsure = m.unsure || least != nil
	if x, _ := read("exclusiveMinimum"); x != nil {
		m.unsure = true
		if x = new(big.Rat).Add(x, big.NewRat(1, 1)); least == nil || x.Cmp(least) > 0 {
			least = x
		}
	}
	if most, _ := read("maximum"); least == nil && most != nil && most.Sign() < 0 {
		m.unsure = true
		least = most
	}
	if most, _ := read("exclusiveMaximum"); least == nil && most != nil && most.Sign() <= 0 {
		m.unsure = true
		least = new(big.Rat).Sub(most, big.NewRat(1, 1))
	}
	if least == nil {
		return json.RawMessage(`0`)
	}
	step, _ := read("multipleOf")
	if step == nil && integer {
		step = big.NewRat(1, 1)
	}
	if step != nil && step.Sign() > 0 {
		count := new(big.Rat).Quo(least, step)
		whole := new(big.Int).Div(count.Num(), count.Denom())
		if !count.IsInt() {
			whole.Add(whole, big.NewInt(1))
		}
		least = new(big.Rat).Mul(new(big.Rat).SetInt(whole), step)
	}
	if least.IsInt() {
		return json.RawMessage(least.Num().String())
	}
	f, _ := least.Float64()
	if math.IsInf(f, 0) {
		return json.RawMessage(`0`)
	}
	return json.RawMessage(strconv.FormatFloat(f, 'g', -1, 64))
}

// text makes a string: by pattern, by format, a path where the name asks for
// one, else an ellipsis.
func (m *maker) text(s *schema, name string) string {
	text := "…"
	if v, ok := formats[s.text("format")]; ok {
		text = v
	} else if n := strings.ToLower(name); n == "path" || n == "dir" || n == "directory" || n == "folder" || strings.HasSuffix(n, "_path") || strings.HasSuffix(name, "Path") {
		text = "."
	}
	if pattern := s.text("pattern"); pattern != "" {
		m.unsure = true
		if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			var b strings.Builder
			sample(re, &b)
			text = b.String()
		}
	}
	least, most := 0, -1
	_ = json.Unmarshal(s.fields["minLength"], &least)
	if raw, ok := s.fields["maxLength"]; ok {
		_ = json.Unmarshal(raw, &most)
	}
	if n := utf8.RuneCountInString(text); least > n {
		m.unsure = true
		text += strings.Repeat("…", min(least, 10_000)-n)
	}
	if most >= 0 && utf8.RuneCountInString(text) > most {
		m.unsure = true
		text = string([]rune(text)[:most])
	}
	return text
}

// sample writes a short string that the expression matches.
func sample(re *syntax.Regexp, b *strings.Builder) {
	if b.Len() > 10_000 {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpPlus, syntax.OpCapture:
		sample(re.Sub[0], b)
	case syntax.OpRepeat:
		for range min(re.Min, 1000) {
			sample(re.Sub[0], b)
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			sample(sub, b)
		}
	case syntax.OpAlternate:
		sample(re.Sub[0], b)
	}
}

// pick chooses a readable rune of a class, given as pairs of bounds.
func pick(class []rune) rune {
	for _, nice := range []rune{'a', 'A', '0', '-', '_', '.'} {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= nice && nice <= class[i+1] {
				return nice
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	for i := 0; i+1 < len(class); i += 2 {
		if class[i+1] >= '!' {
			return max(class[i], '!')
		}
	}
	return class[0]
}
