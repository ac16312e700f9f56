package mcpserver

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
)

// acceptedResult is the result of a call as clients of protocols before 2026-07-28 accept it: raw,
// unless a part of it is something that they refuse. A content block that they do not know is the
// text of its JSON, and so is structured content other than an object.
func acceptedResult(raw json.RawMessage) json.RawMessage {
	members, err := messages.Members(raw)
	if err != nil {
		return raw
	}
	changed := map[string]bool{}
	var blocks []json.RawMessage
	list := members["content"]
	if jsonKind(list) != '[' || json.Unmarshal(list, &blocks) != nil {
		changed["content"] = true
		if len(list) > 0 && jsonKind(list) != 'n' {
			blocks = []json.RawMessage{textBlock(list)}
		}
	}
	for i, block := range blocks {
		if !acceptedBlock(block) {
			blocks[i] = textBlock(block)
			changed["content"] = true
		}
	}
	if structured, ok := members["structuredContent"]; ok && jsonKind(structured) != '{' {
		changed["structuredContent"] = true
		if len(blocks) == 0 && jsonKind(structured) != 'n' {
			blocks = append(blocks, textBlock(structured))
			changed["content"] = true
		}
	}
	if flag, ok := members["isError"]; ok && jsonKind(flag) != 't' && jsonKind(flag) != 'f' {
		changed["isError"] = true
	}
	if meta, ok := members["_meta"]; ok && jsonKind(meta) != '{' {
		changed["_meta"] = true
	}
	if len(changed) == 0 {
		return raw
	}
	var out []byte
	write := func(name string, of json.RawMessage) {
		out = append(out, ',')
		out, _ = jsontext.AppendQuote(out, name)
		out = append(append(out, ':'), of...)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !changed[name] {
			write(name, members[name])
		}
	}
	if changed["content"] {
		list, _ = json.Marshal(append([]json.RawMessage{}, blocks...)) //nolint:errchkjson // they were read
		write("content", list)
	}
	out[0] = '{'
	return append(out, '}')
}

func jsonKind(raw json.RawMessage) jsontext.Kind {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return 0
	}
	return jsontext.Value(raw).Kind()
}

func textBlock(of json.RawMessage) json.RawMessage {
	b, _ := jsontext.AppendQuote([]byte(`{"type":"text","text":`), bytes.TrimSpace(of))
	return append(b, '}')
}

// blockMembers are the members that a content block of each type needs.
var blockMembers = map[string]map[string]jsontext.Kind{
	"text":          {"text": '"'},
	"image":         {"data": '"', "mimeType": '"'},
	"audio":         {"data": '"', "mimeType": '"'},
	"resource":      {"resource": '{'},
	"resource_link": {"uri": '"', "name": '"'},
}

func acceptedBlock(block json.RawMessage) bool {
	members, err := messages.Members(block)
	if err != nil {
		return false
	}
	var typ string
	_ = json.Unmarshal(members["type"], &typ)
	need, ok := blockMembers[typ]
	for name, kind := range need {
		ok = ok && jsonKind(members[name]) == kind
	}
	if meta, has := members["_meta"]; has && jsonKind(meta) != '{' || members["annotations"] != nil && jsonKind(members["annotations"]) != '{' {
		return false
	}
	return ok
}
