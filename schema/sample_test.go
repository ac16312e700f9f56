package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A sample is small whatever its schema asks for.
func TestSampleIsSmall(t *testing.T) {
	leaves := make([]string, 30)
	names := make([]string, 30)
	for i := range leaves {
		leaves[i] = fmt.Sprintf(`"p%d":{"type":"string","minLength":50}`, i)
		names[i] = fmt.Sprintf(`"p%d"`, i)
	}
	wide := `{"type":"object","properties":{` + strings.Join(leaves, ",") + `},"required":[` + strings.Join(names, ",") + `]}`
	wide = `{"type":"array","minItems":30,"items":{"type":"array","minItems":30,"items":` + wide + `}}`
	for name, schema := range map[string]string{
		"many items":     `{"type":"array","minItems":2000000000,"items":{"type":"integer"}}`,
		"nested items":   `{"type":"array","minItems":99,"items":{"type":"array","minItems":99,"items":{"type":"array","minItems":99,"items":{"type":"array","minItems":99}}}}`,
		"negative items": `{"type":"array","minItems":-1}`,
		"long text":      `{"type":"object","properties":{"a":{"type":"string","minLength":2000000000}},"required":["a"]}`,
		"long texts":     `{"type":"array","minItems":250,"items":{"type":"string","minLength":1000}}`,
		"large default":  `{"type":"array","minItems":250,"items":{"type":"string","default":"` + strings.Repeat("x", 5000) + `"}}`,
		"wide":           wide,
	} {
		got := Sample(Read(json.RawMessage(schema)))
		if !json.Valid(got) || len(got) > 20<<10 {
			t.Errorf("%s: the sample has %d bytes: %.200s", name, len(got), got)
		}
	}
}

// Within the bounds a sample has as many items and characters as are asked for.
func TestSampleSatisfies(t *testing.T) {
	got := Sample(Read(json.RawMessage(`{"type":"object","properties":{"a":{"type":"array","minItems":2,"items":{"type":"string","minLength":3}},"b":{"enum":["x","y"]},"c":{}},"required":["a","b"]}`)))
	if want := `{"a":["………","………"],"b":"x"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
