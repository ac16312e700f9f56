package apis

import (
	"encoding/json"
	"strings"
	"testing"
)

// Arguments fit before anything is requested. Null is a value where the schema allows it; of an
// optional argument it counts as absent where it does not.
func TestCheckArguments(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":["string","integer"]},"n":{"type":"integer","maximum":9007199254740993},"by":{"type":["string","null"]},"any":{},"body":{"$ref":"#/$defs/B"}},"required":["id"],"additionalProperties":false,` +
		`"$defs":{"B":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`
	for given, want := range map[string]string{
		`{"id":1, "n":9007199254740993}`:                      `{"id":1, "n":9007199254740993}`,
		`{"id":"a","by":null,"any":null}`:                     `{"id":"a","by":null,"any":null}`,
		`{"id":"a","n":null,"by":null,"body":null,"any":1.0}`: `{"any":1.0,"by":null,"id":"a"}`,
		`null`:                          `the argument "id" is required`,
		``:                              `the argument "id" is required`,
		`{"id":null}`:                   `the arguments do not fit: at /id got null, expected integer or string`,
		`{"id":1,"n":1.5}`:              `at /n got number, expected integer`,
		`{"id":1,"n":9007199254740994}`: `at /n got 9007199254740994, expected at most 9007199254740993`,
		`{"id":1,"body":{}}`:            `at /body missing "a"`,
		`{"id":1,"body":{"a":null}}`:    `at /body/a got null, expected string`,
		`{"id":1,"bod":{}}`:             `there is no argument "bod": did you mean "body"?`,
		`{"id":1,"zzzz":1}`:             `there is no argument "zzzz": the operation has any, body, by, id, n`,
		`[1]`:                           `the arguments are not a JSON object`,
		`{"id":`:                        `the arguments are not a JSON object`,
	} {
		got, err := CheckArguments(json.RawMessage(schema), json.RawMessage(given))
		if err != nil {
			got = json.RawMessage(err.Error())
		}
		if fits := want[0] == '{'; fits != (err == nil) || fits && string(got) != want || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
	if _, err := CheckArguments(json.RawMessage(`{"type":"object","additionalProperties":false}`), json.RawMessage(`{"a":1}`)); err == nil || !strings.HasSuffix(err.Error(), "the operation has none") {
		t.Error(err)
	}
}
