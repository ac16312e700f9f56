package local

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

// What is written of an outcome is what json.Marshal writes.
func TestOutcomesAreJSON(t *testing.T) {
	for _, o := range []outcomeOf{
		{},
		{NotSent: true},
		{Done: true, Data: json.RawMessage(`{"a":[1,2]}`)},
		{Done: true, Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"x"}`), json.RawMessage(`{}`)}, Data: json.RawMessage(`1`)},
		{Content: []json.RawMessage{json.RawMessage(`{"type":"text"}`)}},
		{Fault: &diag.Fault{Code: "tool-failed", Message: "no"}},
	} {
		want, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(want, &a) != nil || json.Unmarshal(o.json(), &b) != nil {
			t.Fatalf("%s and %s", want, o.json())
		}
		x, _ := json.Marshal(a)
		if y, _ := json.Marshal(b); string(x) != string(y) {
			t.Errorf("%s, want %s", y, x)
		}
	}
}
