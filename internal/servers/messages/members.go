package messages

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Members returns the members of an object by name, of equal names the last, as
// [json.Unmarshal] does. The values refer to the text, which must not be changed any more.
func Members(text []byte) (map[string]json.RawMessage, error) {
	if members, ok := readMembers(text); ok {
		return members, nil
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	return members, err
}

// readMembers reads an object whose names are written as they are meant.
func readMembers(text []byte) (map[string]json.RawMessage, bool) {
	if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, false
	}
	rest := bytes.TrimSpace(text)
	if rest[0] != '{' {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for {
		rest = bytes.TrimLeft(rest[1:], " \t\r\n") // after the brace or the comma
		if rest[0] == '}' {
			return members, true
		}
		name, value, after := firstMember(rest)
		if value == nil || !plain(name) {
			return nil, false
		}
		members[string(name[1:len(name)-1])] = value
		if rest = after; rest[0] == '}' {
			return members, true
		}
	}
}
