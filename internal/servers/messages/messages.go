// Package messages reads and writes the messages of MCP as texts of JSON. It does what the
// SDK does, in less time: the SDK allocates 32 KiB for each text that it reads, and a
// request has two, and checks and compacts once more what it has just encoded. Whatever is
// unusual is left to the SDK, so that both agree on every text.
package messages

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxDepth is how deep the SDK lets a message be nested.
const maxDepth = 1000

// Decode returns the message of a text, as [jsonrpc.DecodeMessage] does. The message may
// refer to the text, which must not be changed any more.
func Decode(text []byte) (jsonrpc.Message, error) {
	if m, ok := read(text); ok {
		return m, nil
	}
	return jsonrpc.DecodeMessage(text)
}

// read reads a request, a notification or a result whose members are written in the usual
// way.
func read(text []byte) (jsonrpc.Message, bool) {
	if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, false
	}
	var version, id, method, params, result []byte
	rest := bytes.TrimSpace(text)
	if rest[0] != '{' {
		return nil, false
	}
	for {
		rest = bytes.TrimLeft(rest[1:], " \t\r\n") // after the brace or the comma
		if rest[0] == '}' {
			break
		}
		name, value, after := firstMember(rest)
		if value == nil {
			return nil, false
		}
		rest = after
		var member *[]byte
		switch string(name[1 : len(name)-1]) {
		case "jsonrpc":
			member = &version
		case "id":
			member = &id
		case "method":
			member = &method
		case "params":
			member = &params
		case "result":
			member = &result
		default: // an error, a name with an escape, or one that means nothing
			return nil, false
		}
		if *member != nil || value[0] == 'n' {
			return nil, false
		}
		*member = value
		if rest[0] == '}' {
			break
		}
	}
	if string(version) != `"2.0"` {
		return nil, false
	}
	is, ok := readID(id)
	switch {
	case !ok || id == nil && method == nil:
		return nil, false
	case method == nil:
		return &jsonrpc.Response{ID: is, Result: result}, true
	case !plain(method):
		return nil, false
	}
	return &jsonrpc.Request{ID: is, Method: string(method[1 : len(method)-1]), Params: params}, true
}

// firstMember returns the name, in quotes, and the value of the member with which a valid
// text begins, and what follows it. The value is nil if it is nested too deep.
func firstMember(text []byte) (name, value, after []byte) {
	end := scalarEnd(text)
	name = text[:end]
	text = bytes.TrimLeft(text[end:], " \t\r\n:")
	if end = valueEnd(text); end < 0 {
		return name, nil, nil
	}
	return name, text[:end:end], bytes.TrimLeft(text[end:], " \t\r\n")
}

// readID reads the id of a message, which a notification does not have.
func readID(text []byte) (jsonrpc.ID, bool) {
	switch {
	case text == nil:
		return jsonrpc.ID{}, true
	case plain(text):
		id, err := jsonrpc.MakeID(string(text[1 : len(text)-1]))
		return id, err == nil
	case len(text) > 15: // a float64 has every integer of so many digits
		return jsonrpc.ID{}, false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(float64(n))
	return id, err == nil
}

// plain reports whether a value is a string that means its bytes.
func plain(value []byte) bool {
	if value[0] != '"' {
		return false
	}
	for _, c := range value[1 : len(value)-1] {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return true
}

// valueEnd returns where a value ends that begins a valid text, or -1 if it is nested
// deeper than a member of a message may be.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; ; {
		switch text[i] {
		case '{', '[':
			if depth++; depth >= maxDepth {
				return -1
			}
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default:
			i += scalarEnd(text[i:])
		}
		if depth == 0 {
			return i
		}
	}
}

// scalarEnd returns where a string, a number or a word ends that begins a valid text.
func scalarEnd(text []byte) int {
	if text[0] != '"' {
		if end := bytes.IndexAny(text, ",]} \t\r\n"); end >= 0 {
			return end
		}
		return len(text)
	}
	for i := 1; ; i++ {
		i += bytes.IndexByte(text[i:], '"')
		slashes := 0
		for text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// Encode returns the text of a message that the SDK has made, as [jsonrpc.EncodeMessage]
// does, and the end of its line.
func Encode(m jsonrpc.Message) ([]byte, error) {
	if text, ok := write(m); ok {
		return text, nil
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// write writes a message whose params or result are compact.
func write(m jsonrpc.Message) ([]byte, bool) {
	var id any
	var head, body, member string
	var value json.RawMessage
	switch m := m.(type) {
	case *jsonrpc.Request:
		if !plain([]byte(`"` + m.Method + `"`)) {
			return nil, false
		}
		id, head, member, value = m.ID.Raw(), `,"method":"`+m.Method+`"`, `,"params":`, m.Params
	case *jsonrpc.Response:
		if m.Error != nil {
			return nil, false
		}
		id, member, value = m.ID.Raw(), `,"result":`, m.Result
	}
	if len(value) > 0 {
		body = member
	}
	if bytes.IndexByte(value, '\n') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		return nil, false
	}
	text := make([]byte, 0, len(value)+len(head)+len(body)+64)
	text = append(text, `{"jsonrpc":"2.0"`...)
	switch id := id.(type) {
	case nil:
	case int64:
		text = strconv.AppendInt(append(text, `,"id":`...), id, 10)
	case string:
		if !plain([]byte(`"` + id + `"`)) {
			return nil, false
		}
		text = append(append(append(text, `,"id":"`...), id...), '"')
	default:
		return nil, false
	}
	text = append(append(append(text, head...), body...), value...)
	return append(text, "}\n"...), true
}
