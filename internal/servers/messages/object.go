package messages

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// A Member is a member of a JSON object, with the bytes of its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// ReadObject reads the members of an object in their order.
func ReadObject(raw json.RawMessage) ([]Member, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	var list []Member
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		list = append(list, Member{text, json.RawMessage(bytes.Clone(v))})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return list, nil
}

// Object is the object of some members.
func Object(members []Member) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := EncodeValue(m.Name) // a string cannot fail
		out.Write(name)
		out.WriteByte(':')
		out.Write(m.Value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// EncodeValue is JSON without escaping for HTML.
func EncodeValue(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
