package execution

import (
	"encoding/json"
	"strings"
	"testing"
)

// Arguments describes what a schema says of each argument, the required ones first;
// one with a default may be left out.
func TestArgumentsOf(t *testing.T) {
	list := schemaArguments(json.RawMessage(`{"$ref":"#/$defs/all","$defs":{"n":{"type":"number","description":"how many"},"all":{"type":"object","required":["b","a","c","z"],
		"properties":{"o":{"enum":[1,"x"]},"a":{"$ref":"#/$defs/n"},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{"type":"string","default":""}}}}}`))
	var got []string
	for _, a := range list {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	want := []string{
		`{"Name":"a","Description":"how many","Types":["number"],"Choices":null,"Required":true}`,
		`{"Name":"b","Description":"","Types":["string","null"],"Choices":null,"Required":true}`,
		`{"Name":"z","Description":"","Types":null,"Choices":null,"Required":true}`,
		`{"Name":"c","Description":"","Types":["string"],"Choices":null,"Required":false}`,
		`{"Name":"o","Description":"","Types":["integer","string"],"Choices":[1,"x"],"Required":false}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for _, none := range []string{"", "null", "true", `{"type":"string"}`, `{"$ref":"#/nowhere"}`} {
		if list := schemaArguments(json.RawMessage(none)); list != nil {
			t.Errorf("%s has %v", none, list)
		}
	}
}
