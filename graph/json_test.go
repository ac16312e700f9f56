package graph

import (
	"bytes"
	"encoding/json"
	"testing"
)

// sorts checks that a value is written with sorted keys as encoding/json writes it. The
// records of runs compare hashes of what it has written.
func sorts(t *testing.T, v Value) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(v.JSON()))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		t.Fatalf("%s: %v", v.JSON(), err)
	}
	want, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.AppendSorted([]byte("x")); string(got) != "x"+string(want) {
		t.Errorf("got  %s\nwant x%s", got, want)
	}
}

func TestAppendSorted(t *testing.T) {
	for _, src := range append(shapes, broken...) {
		if d, _ := Parse("x", src); d != nil {
			sorts(t, d.Root)
		}
	}
	all := `{"z": 1, "a": [true, null, 1.50, -0, 1e400], "<&>": "<b>&\u2028\u2029", "\u00e9": "\u0000\u0001\b\f\n\r\t\u001f\u007f \\ / \" \ud83d\ude00", "k": {"b": {}, "a": []}}`
	d, _ := Parse("x.json", all)
	sorts(t, d.Root)
	many := map[string]int{}
	for i := range 40 {
		many[string(rune('a'+i))] = -i
	}
	text, _ := json.Marshal(many)
	d, _ = Parse("x.json", "{\"zz\": 1, "+string(text[1:]))
	sorts(t, d.Root)
}
