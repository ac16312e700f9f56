package messages

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var objects = []string{
	`{}`, " { }\n", `{"a":1}`, "{ \"a\" : [1, {\"b\":\"}\"}] ,\n\"c\":null , \"d\" : \"\\\\\" }", `{"a":1,"a":2}`, `{"":true}`, `{"a":{"b":{}},"b":-1.5e3}`,
	`[1]`, " [ \"]\" ,{\"a\":[ ]} , [ 1 , 2 ],null ] ", "[" + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + ",1]",
	`{"\u0061":1}`, `{"ä":1}`, "{\"\xff\":\"\xff\"}", `null`, `[]`, `"{}"`, `1`, ``, ` `, `{`, `{"a"}`, `{"a":1,}`, `{} {}`,
	`{"a":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + `}`,
}

func compareMembers(t *testing.T, text string) {
	t.Helper()
	got, gotErr := Members([]byte(text))
	if json.Valid([]byte(text)) {
		of, err := MembersOf([]byte(text))
		if (gotErr == nil) != (err == nil) || !reflect.DeepEqual(got, of) {
			t.Errorf("%.100q has %s, %v as a valid text", text, of, err)
		}
		var items []json.RawMessage
		isArray := json.Unmarshal([]byte(text), &items) == nil
		if list := Items([]byte(text)); isArray && !reflect.DeepEqual(list, items) || !isArray && list != nil {
			t.Errorf("%.100q has the items %s, want %s", text, list, items)
		}
	}
	var want map[string]json.RawMessage
	wantErr := json.Unmarshal([]byte(text), &want)
	if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%.100q has %s, %v, want %s, %v", text, got, gotErr, want, wantErr)
	}
}

func TestMembers(t *testing.T) {
	for _, text := range objects {
		compareMembers(t, text)
	}
	if _, ok := readMembers([]byte(objects[3])); !ok {
		t.Errorf("%s is not read", objects[3])
	}
}

// FuzzMembers compares what is read with what encoding/json reads.
func FuzzMembers(f *testing.F) {
	for _, text := range objects {
		f.Add(text)
	}
	f.Fuzz(compareMembers)
}
