package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a schema says does not depend on how much of it is compiled together.
func TestSplitSchemas(t *testing.T) {
	wide := func(n int, sub string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"k%d":%s`, strings.Repeat(",", min(i, 1)), i, sub)
		}
		return b.String()
	}
	values := []string{
		`{}`, `1`, `{"k0":1,"k9":"x"}`, `{"k0":{"k1":1,"k2":"x"},"other":1}`, `{"a/b":{"k0":1}}`, `{"list":[{"k3":1},{"k3":"x"}],"more":{"k1":2}}`,
		`{"k0":{"k0":{"k0":{"k0":1}}}}`, `{"self":{"self":{"k4":1}},"k4":"x"}`, `{"d":{"k5":1}}`, `{"~x %":{"ä":{"k0":1}}}`, `{"k1":null,"k2":"a","k3":"b"}`,
	}
	text := `{"type":"string"}`
	nested := `{"type":"object","properties":{` + wide(4, text) + `}}`
	for _, raw := range []string{
		`{"type":"object","properties":{` + wide(12, text) + `}}`,
		`{"type":"object","properties":{` + wide(12, text) + `},"additionalProperties":false,"required":["k0"]}`,
		`{"properties":{"k0":{"properties":{"k0":{"properties":{"k0":{"properties":{` + wide(5, text) + `}},"k1":` + text + `}},"k2":` + nested + `}},` + wide(9, nested)[5:] + `}}`,
		`{"properties":{"list":{"items":` + nested + `},"more":{"additionalProperties":{"type":"string"}},"a/b":` + nested + `,"~x %":{"properties":{"ä":` + nested + `,` + wide(5, text) + `}},` + wide(6, text) + `}}`,
		`{"properties":{"self":{"$ref":"#"},"d":{"$ref":"#/$defs/d"},` + wide(8, text) + `},"$defs":{"d":` + nested + `}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{` + wide(8, `{"type":"string","minLength":2}`) + `},"definitions":{"d":` + nested + `}}`,
		`{"properties":{` + wide(8, text) + `},"allOf":[{"properties":{` + wide(8, `{"minLength":2}`) + `}}],"unevaluatedProperties":false}`,
		`{"$id":"http://x/y","properties":{"d":{"$ref":"#/properties/k1"},` + wide(8, text) + `}}`,
		`{"properties":{` + wide(4, text) + `,"k5":{"type":1},"k6":{"type":"strin"},"k7":{"minLength":"x"}}}`,
		`{"properties":{"d":{"$ref":"#/$defs/none"},` + wide(8, text) + `}}`,
		`{"properties":{` + wide(2, text) + `},"$defs":{"unused":{"properties":{"d":{"$ref":"#/$defs/none"},` + wide(8, text) + `}}}}`,
	} {
		together, apart := &Schema{Raw: json.RawMessage(raw)}, &Schema{Raw: json.RawMessage(raw)}
		together.compile(1 << 30)
		apart.compile(1)
		if fmt.Sprint(together.err) != fmt.Sprint(apart.err) || !reflect.DeepEqual(together.odd, apart.odd) {
			t.Errorf("%s:\ngot  %v %q\nwant %v %q", raw, apart.err, apart.odd, together.err, together.odd)
		}
		if together.err != nil {
			continue
		}
		for _, value := range values {
			v, err := decoded(value)
			if err != nil {
				t.Fatal(err)
			}
			got, want := apart.compiled.validate(v), together.compiled.validate(v)
			if (got == nil) != (want == nil) || got != nil && fmt.Sprint(got) != fmt.Sprint(want) && !sameLines(got, want) {
				t.Errorf("%s\nof %s:\ngot  %v\nwant %v", raw, value, got, want)
			}
		}
	}
}

func decoded(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// sameLines compares errors of the library by what they say of the value, in any order.
func sameLines(a, b error) bool {
	said := func(err error) []string {
		var words []string
		for line := range strings.Lines(err.Error()) {
			if _, at, ok := strings.Cut(strings.TrimSpace(line), "at '"); ok {
				words = append(words, strings.FieldsFunc(at, func(r rune) bool { return r == ' ' || r == ',' })...)
			}
		}
		slices.Sort(words)
		return words
	}
	return slices.Equal(said(a), said(b))
}

// A wide schema takes time that grows with its size.
func TestWideSchemas(t *testing.T) {
	times := map[int]time.Duration{}
	for _, n := range []int{1200, 9600} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"key%d":{"type":"string"}`, strings.Repeat(",", min(i, 1)), i)
		}
		times[n] = time.Hour
		for range 3 {
			s := &Schema{Raw: json.RawMessage(`{"properties":{` + b.String() + `}}`)}
			began := time.Now()
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			times[n] = min(times[n], time.Since(began))
		}
	}
	if ratio := float64(times[9600]) / float64(times[1200]); ratio > 40 {
		t.Errorf("8 times as many properties take %.0f times as long: %v and %v", ratio, times[9600], times[1200])
	}
}
