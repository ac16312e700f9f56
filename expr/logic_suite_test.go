package expr

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

func TestLogicSuite(t *testing.T) {
	b, err := os.ReadFile(conformance.Path(t, "jsonlogic/cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Index  int             `json:"i"`
		Rule   json.RawMessage `json:"rule"`
		Data   json.RawMessage `json:"data"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		rule, faults := CompileRule(decode(t, string(c.Rule)))
		if faults != nil {
			t.Errorf("case %d: %s: %v", c.Index, c.Rule, faults[0])
			continue
		}
		v, err := rule.Eval(t.Context(), NewScopeWith(decode(t, string(c.Data)), nil, Limits{}))
		if err != nil {
			t.Errorf("case %d: %s over %s: %v", c.Index, c.Rule, c.Data, err)
			continue
		}
		got, err := Encode(v)
		if err != nil {
			t.Errorf("case %d: %v", c.Index, err)
		}
		if !sameJSON(string(got), string(c.Result), false) {
			t.Errorf("case %d: %s over %s is %s, want %s", c.Index, c.Rule, c.Data, got, c.Result)
		}
	}
	if len(cases) != 278 {
		t.Errorf("the suite has %d cases, want 278", len(cases))
	}
}
