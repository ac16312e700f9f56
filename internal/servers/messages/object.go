package messages

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
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
		out.WriteString(plainjson.Quote(m.Name) + ":")
		out.Write(m.Value)
	}
	out.WriteByte('}')
	return out.Bytes()
}
