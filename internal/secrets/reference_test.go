package secrets

import (
	"strings"
	"testing"
)

// What is stored has no secret, and restores to the values that the secrets have by
// then; a text that looks like a reference stays that text.
func TestReferAndRestore(t *testing.T) {
	before := NewRedactor([]Secret{{"TOKEN", "tok-1234567"}, {"PIN", "12345678"}, {"", "nameless-9"}, {"QUOTED", `a"quote"d/e`}})
	after := NewRedactor([]Secret{{"TOKEN", "new-7654321"}, {"PIN", "87654321"}, {"QUOTED", `b"quote"d/f`}})
	for _, test := range []struct{ text, same, later string }{
		{`{"a":"x"}`, `{"a":"x"}`, `{"a":"x"}`},
		{`{"a":"Bearer tok-1234567!","n":12345678}`, `{"a":"Bearer tok-1234567!","n":12345678}`, `{"a":"Bearer new-7654321!","n":87654321}`},
		{`{"tok-1234567":"12345678"}`, `{"tok-1234567":"12345678"}`, `{"new-7654321":"87654321"}`},
		{`{"a":"nameless-9"}`, `{"a":"***"}`, `{"a":"***"}`},
		{`{"a":"a\"quote\"d/e"}`, `{"a":"a\"quote\"d/e"}`, `{"a":"b\"quote\"d/f"}`},
		{`not JSON: tok-1234567`, `not JSON: tok-1234567`, `not JSON: new-7654321`},
		{`"` + mark + `TOKEN/0;"`, `"` + mark + `TOKEN/0;"`, `"` + mark + `TOKEN/0;"`},
		{`"\ue5ecTOKEN/0;"`, `"` + mark + `TOKEN/0;"`, `"` + mark + `TOKEN/0;"`},
		{`"` + mark + `"`, `"` + mark + `"`, `"` + mark + `"`},
	} {
		stored := before.Refer([]byte(test.text))
		for _, secret := range []string{"tok-1234567", "12345678", "nameless-9", `a\"quote`} {
			if strings.Contains(string(stored), secret) {
				t.Errorf("%s is stored as %s", test.text, stored)
			}
		}
		if got := string(before.Restore(stored)); got != test.same {
			t.Errorf("%s with the same secrets: %s", test.text, got)
		}
		if got := string(after.Restore(stored)); got != test.later {
			t.Errorf("%s with later secrets: %s", test.text, got)
		}
	}
	if got := string((*Redactor)(nil).Restore(before.Refer([]byte(`{"a":"tok-1234567"}`)))); got != `{"a":"***"}` {
		t.Errorf("without the secret: %s", got)
	}
}
