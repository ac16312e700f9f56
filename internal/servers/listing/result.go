package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
	"github.com/patchbay-mcp/patchbay/schema"
)

// Misfit says that the result of a call does not fit the outputSchema that is listed, "" if it
// does. Clients that check it would refuse the result, and nobody would read what the call has
// done: who passes it on leaves out its structured content, and marks it as an error, for
// which clients ask for none.
func Misfit(structured, outputSchema json.RawMessage, isError bool) string {
	why := "it has no structured content"
	switch kind := jsonKind(structured); {
	case len(outputSchema) == 0, isError && (kind == 0 || kind == 'n'):
		return ""
	case kind != 0 && kind != 'n':
		found := schema.New(outputSchema).Check(structured)
		if found = slices.DeleteFunc(found, func(m schema.Mismatch) bool { return m.Keyword == "limit" }); len(found) == 0 {
			return ""
		}
		why = schema.Fault("", "structuredContent", "", found).Message
	}
	note := fmt.Sprintf("The result of the tool is text, since it does not fit the outputSchema (%s).", why)
	if !isError {
		note += " The call was made: only for that is it marked as an error."
	}
	return note
}

// Result is the result of a call as clients accept it: raw, unless a part of it is something that
// they refuse. A content block that they do not know is the text of its JSON, and so is
// structured content other than an object: both unless the client is modern, of the protocol
// 2026-07-28 or later. What does not fit the outputSchema is text too, as [Misfit] says.
func Result(raw, outputSchema json.RawMessage, modern bool) json.RawMessage {
	members, err := messages.Members(raw)
	if err != nil {
		return raw
	}
	changed := !modern && reshaped(members)
	structured, kind := members["structuredContent"], members["resultType"]
	if kind != nil && string(kind) != `"complete"` { // it asks for something
		outputSchema = nil
	}
	if note := Misfit(structured, outputSchema, string(members["isError"]) == "true"); note != "" {
		var blocks []json.RawMessage
		_ = json.Unmarshal(members["content"], &blocks)
		if len(blocks) == 0 && structured != nil {
			blocks = append(blocks, textBlock(structured))
		}
		setContent(members, append(blocks, textBlock([]byte(note))))
		members["isError"], changed = json.RawMessage("true"), true
		delete(members, "structuredContent")
	}
	if !changed {
		return raw
	}
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out, _ = jsontext.AppendQuote(append(out, ','), name)
		out = append(append(out, ':'), members[name]...)
	}
	out[0] = '{'
	return append(out, '}')
}

// reshaped gives the members of a result the kinds that clients take, and reports whether some
// had others.
func reshaped(members map[string]json.RawMessage) (changed bool) {
	var blocks []json.RawMessage
	list := members["content"]
	if jsonKind(list) == '[' {
		blocks = messages.Items(list)
	} else {
		changed = true
		if len(list) > 0 && jsonKind(list) != 'n' {
			blocks = []json.RawMessage{textBlock(list)}
		}
	}
	for i, block := range blocks {
		if !acceptedBlock(block) {
			blocks[i] = textBlock(block)
			changed = true
		}
	}
	if structured, ok := members["structuredContent"]; ok && jsonKind(structured) != '{' {
		delete(members, "structuredContent")
		if changed = true; len(blocks) == 0 && jsonKind(structured) != 'n' {
			blocks = append(blocks, textBlock(structured))
		}
	}
	for name, kinds := range map[string]string{"isError": "tf", "_meta": "{"} {
		if of, ok := members[name]; ok && !strings.ContainsRune(kinds, rune(jsonKind(of))) {
			delete(members, name)
			changed = true
		}
	}
	if changed {
		setContent(members, blocks)
	}
	return changed
}

func setContent(members map[string]json.RawMessage, blocks []json.RawMessage) {
	members["content"], _ = json.Marshal(append([]json.RawMessage{}, blocks...)) //nolint:errchkjson // they were read
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
	members, err := messages.MembersOf(block)
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
