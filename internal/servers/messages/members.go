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
	return membersOf(text)
}

// MembersOf is [Members] of a text that is known to be valid, such as a value that Members has
// returned.
func MembersOf(valid []byte) (map[string]json.RawMessage, error) {
	if members, ok := membersOf(valid); ok {
		return members, nil
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(valid, &members)
	return members, err
}

// Items returns the items of an array, nil of any other value. The text is known to be valid.
// The items refer to it.
func Items(valid []byte) (items []json.RawMessage) {
	rest := bytes.TrimSpace(valid)
	if rest[0] != '[' {
		return nil
	}
	items = []json.RawMessage{}
	for {
		rest = bytes.TrimLeft(rest[1:], " \t\r\n") // after the bracket or the comma
		if rest[0] == ']' {
			return items
		}
		end := valueEnd(rest)
		if end < 0 { // it is nested too deep
			_ = json.Unmarshal(valid, &items)
			return items
		}
		items = append(items, json.RawMessage(rest[:end:end]))
		if rest = bytes.TrimLeft(rest[end:], " \t\r\n"); rest[0] == ']' {
			return items
		}
	}
}

func membersOf(text []byte) (map[string]json.RawMessage, bool) {
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
