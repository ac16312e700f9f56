package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// schemaAttack runs a graph with a schema whose validation is expensive, on arguments
// made for it.
func schemaAttack(r *rand.Rand) attack {
	schema, instance := schemaOf(r)
	in := fmt.Sprintf(`{"type":"object","properties":{"a":%s},"$defs":{"n":%s}}`, schema, schema)
	graph := graphOf(in, `{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":{"expr":"1"}}`)
	return attack{
		tool:  "run_graph",
		args:  map[string]any{"graph": graph, "arguments": map[string]any{"a": json.RawMessage(instance)}, "timeout_ms": runLimit.Milliseconds()},
		limit: validateLimit + runLimit, // it is checked first
	}
}

func schemaOf(r *rand.Rand) (schema, instance string) {
	n := size(r, 20_000)
	deep := strings.Repeat("[", 5+r.IntN(60))
	nested := deep + "1" + strings.Repeat("]", len(deep))
	switch r.IntN(9) {
	case 0: // alternatives that are all tried at each level
		return `{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"array","items":{"$ref":"#/$defs/n"},"maxItems":5},{"type":"integer"}]}`, nested
	case 1: // references that branch without descending
		var b strings.Builder
		levels, width := 2+r.IntN(12), 2+r.IntN(9)
		b.WriteString(`{"$ref":"#/properties/a/$defs/d0","$defs":{`)
		for i := range levels {
			fmt.Fprintf(&b, `"d%d":{"%s":[%s]},`, i, pick(r, "anyOf", "allOf", "oneOf"), strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"$ref":"#/properties/a/$defs/d%d"},`, i+1), width), ","))
		}
		fmt.Fprintf(&b, `"d%d":{"type":"integer"}}}`, levels)
		return b.String(), `"x"`
	case 2: // numbers with a huge exponent
		return `{"type":"array","items":{"multipleOf":0.01}}`, list(n, func(int) string { return fmt.Sprintf("1e%d", size(r, 999_999)) })
	case 3: // a large enum for each item
		m := size(r, 20_000)
		return `{"type":"array","items":{"enum":` + list(m, func(i int) string { return fmt.Sprintf(`"e%d"`, i) }) + `}}`, list(n, func(i int) string { return fmt.Sprintf(`"f%d"`, i) })
	case 4: // many patterns for each key
		m := size(r, 1_000)
		return `{"patternProperties":{` + pairs(m, func(i int) string { return fmt.Sprintf(`"^a%d.*x$":{}`, i) }) + `}}`, `{` + pairs(n, func(i int) string { return fmt.Sprintf(`"a%d":1`, i) }) + `}`
	case 5: // each item compared with each
		return `{"uniqueItems":true}`, list(n, func(i int) string { return fmt.Sprintf(`{"k":[%d,%q]}`, i, strings.Repeat("y", r.IntN(30))) })
	case 6: // expressions that grow when compiled
		return fmt.Sprintf(`{"type":"string","pattern":"(?:x{1,%d}){%d}(a+)+$"}`, 1+r.IntN(1000), 1+r.IntN(1000)), fmt.Sprintf("%q", strings.Repeat("x", n))
	case 7: // contains, not and if in turn
		s := `{"type":"integer"}`
		for range size(r, 200) {
			s = pick(r, `{"not":`+s+`}`, `{"if":`+s+`,"then":`+s2(r, s)+`}`, `{"contains":`+s+`}`, `{"dependentSchemas":{"a":`+s+`}}`)
		}
		return s, pick(r, nested, list(n, strconv.Itoa))
	}
	// unevaluated properties under alternatives
	return `{"anyOf":` + list(1+r.IntN(200), func(i int) string { return fmt.Sprintf(`{"properties":{"k%d":true},"required":["k%d"]}`, i, i) }) + `,"unevaluatedProperties":false}`,
		`{` + pairs(n, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}`
}

// s2 is the schema again if it is small, so that the text does not double each time.
func s2(r *rand.Rand, s string) string {
	if len(s) < 1<<12 && r.IntN(2) == 0 {
		return s
	}
	return "true"
}

func list(n int, item func(i int) string) string { return "[" + pairs(n, item) + "]" }

func pairs(n int, item func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return strings.Join(items, ",")
}
