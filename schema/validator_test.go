package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func compile(t testing.TB, text string) (*validator, error) {
	t.Helper()
	doc := decode(t, text)
	if err := checkNumbers(doc); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return newValidator(s)
}

// alternativesChain is a chain of definitions, each with n references to the next.
func alternativesChain(length, n int) string {
	var defs []string
	for i := range length {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[%s]}`, i, strings.TrimSuffix(strings.Repeat(ref+",", n), ",")))
	}
	defs = append(defs, fmt.Sprintf(`"d%d":{"type":"integer"}`, length))
	return `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
}

const nested = `{"$ref":"#/$defs/n","$defs":{"n":{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"array","items":{"$ref":"#/$defs/n"},"maxItems":5},{"type":"integer"}]}}}`

func list(n int, item func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return strings.Join(parts, ",")
}

func TestSchemaRefused(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"alternatives": {alternativesChain(12, 10), "the schema at /$defs/d8 is too expensive"},
		"itself":       {`{"anyOf":[{"$ref":"#"},{"type":"string"}]}`, "refers to itself for the same value"},
		"number":       {`{"multipleOf":1e999999}`, "at /multipleOf: the number 1e999999 has more than 400 digits"},
		"chain": {`{"$ref":"#/$defs/d0","$defs":{` + list(300, func(i int) string {
			return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
		}) + `,"d300":{}}}`, "more than 200 schemas refer to one another"},
	} {
		_, err := compile(t, c.schema)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestValueRefused(t *testing.T) {
	for name, c := range map[string]struct{ schema, value, want string }{
		"recursive alternatives": {nested, strings.Repeat("[", 30) + "1" + strings.Repeat("]", 30), "more than 10000"},
		"long number":            {`{"items":{"multipleOf":0.01}}`, `[1, 1e999999]`, "the number 1e999999 has more than 400 digits"},
		"small number":           {`{"items":{"multipleOf":0.01}}`, `[1e-999999]`, "the number 1e-999999 has more than 400 digits"},
		"large enum": {
			`{"items":{"enum":[` + list(20_000, strconv.Itoa) + `]}}`,
			`[` + list(20_000, func(i int) string { return strconv.Itoa(19_999 - i%10) }) + `]`, "more than 10",
		},
		"many patterns": {
			`{"patternProperties":{` + list(1000, func(i int) string { return fmt.Sprintf(`"^x%dy":{}`, i) }) + `}}`,
			`{` + list(100_000, func(i int) string { return fmt.Sprintf(`"key-%d":1`, i) }) + `}`, "more than ",
		},
		"many required names": {
			`{"items":{"required":[` + list(40_000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}}`,
			`[` + list(20_000, func(int) string { return `{}` }) + `]`, "more than 10",
		},
		"deep value": {
			`{"properties":{"n":{"$ref":"#"}}}`, strings.Repeat(`{"n":`, 9000) + "1" + strings.Repeat("}", 9000), "more than 10",
		},
	} {
		s, err := compile(t, c.schema)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = s.validate(decode(t, c.value))
		if refusal, ok := errors.AsType[*refusal](err); !ok || !strings.Contains(refusal.Message, c.want) {
			t.Errorf("%s: got %.200v, want %s", name, err, c.want)
		}
	}
}

// What is large but ordinary is validated as it is.
func TestValueValidated(t *testing.T) {
	union := `{"type":"array","items":{"oneOf":[` + list(20, func(i int) string {
		return fmt.Sprintf(`{"type":"object","properties":{"kind":{"const":"k%d"},"v":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["kind"]}`, i)
	}) + `]}}`
	tree := `{"type":"object","properties":{"value":{"type":["string","null"]},"children":{"type":"array","items":{"$ref":"#"}}}}`
	for name, c := range map[string]struct{ schema, valid, invalid string }{
		"rows": {
			`{"items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}}`,
			`[` + list(50_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"name":"x"}`, i) }) + `]`, `[{"name":"x"}]`,
		},
		"union": {
			union, `[` + list(2000, func(i int) string { return fmt.Sprintf(`{"kind":"k%d","v":null}`, i%20) }) + `]`, `[{"kind":"k20"}]`,
		},
		"tree": {
			tree, strings.Repeat(`{"children":[`, 50) + strings.Repeat(`]}`, 50), `{"children":[{"value":1}]}`,
		},
		"recursive alternatives": {nested, `[1,1,1,1,1,1]`, `[["a"]]`},
		"dynamic": {
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"https://json-schema.org/draft/2020-12/schema"}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"items":{"minLength":1}}]}}}`, `{"properties":{"a":{"type":1}}}`,
		},
	} {
		s, err := compile(t, c.schema)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := s.validate(decode(t, c.valid)); err != nil {
			t.Errorf("%s: %.300v", name, err)
		}
		if _, ok := errors.AsType[*jsonschema.ValidationError](s.validate(decode(t, c.invalid))); !ok {
			t.Errorf("%s: the invalid value gives %.300v", name, s.validate(decode(t, c.invalid)))
		}
	}
}

// A validation that does not end is given up, and two of them refuse the next.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		endless := func() error { <-release; return nil }
		for range maxAbandoned {
			if err := watch(endless); err == nil || !strings.Contains(err.Error(), "longer than 2s") {
				t.Errorf("got %v", err)
			}
		}
		if err := watch(func() error { return nil }); err == nil || !strings.Contains(err.Error(), "have not ended") {
			t.Errorf("with two abandoned: got %v", err)
		}
		close(release)
		synctest.Wait()
		if err := watch(func() error { return nil }); err != nil {
			t.Errorf("after their end: got %v", err)
		}
	})
}

func TestPanic(t *testing.T) {
	if err := watch(func() error { panic("broken") }); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v", err)
	}
}
