package tooldef

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// defining are the members of a tool that its hash covers, sorted: what a model reads and
// what a call is checked by.
var defining = []string{"annotations", "description", "inputSchema", "name", "outputSchema", "title"}

// definition is what the hash of a tool covers, as JSON with sorted keys: a server that
// writes the same in another order has not changed the tool.
func definition(fields map[string]json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, name := range defining {
		if raw, ok := fields[name]; ok && string(raw) != "null" {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + name + `":`)
			b.Write(raw)
		}
	}
	b.WriteByte('}')
	sorted := jsontext.Value(b.Bytes())
	if sorted.Format(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false)) != nil {
		return b.Bytes()
	}
	return json.RawMessage(sorted)
}

// fillers are characters that show as nothing but are letters or symbols by their class.
var fillers = map[rune]bool{'\u115f': true, '\u1160': true, '\u3164': true, '\uffa0': true, '\u2800': true, '\u034f': true}

// invisible reports whether people do not see a character that a model reads.
func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r < 0x7f:
		return r < ' '
	case r >= 0xfe00 && r <= 0xfe0d, r >= 0xe0100 && r <= 0xe01ef: // variation selectors, but for those of emoji
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co) || fillers[r]
}

// Visible is a text without its invisible characters, and how many there were.
func Visible(text string) (string, int) {
	if strings.IndexFunc(text, invisible) < 0 {
		return text, 0
	}
	hidden := 0
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			hidden++
			return -1
		}
		return r
	}, text), hidden
}

// schemaText is a member of a schema that is a text for people and models. A quote inside
// of a string is escaped, so it begins no match there.
var schemaText = regexp.MustCompile(`("(?:description|title|\$comment)"\s*:\s*)("(?:[^"\\]|\\.)*")`)

// visibleSchema is a schema whose texts have no invisible characters, and how many there
// were. Names and values, which take part in calls, stay as they are.
func visibleSchema(raw json.RawMessage) (json.RawMessage, int) {
	if !bytes.Contains(raw, []byte(`\u`)) && bytes.IndexFunc(raw, invisible) < 0 {
		return raw, 0
	}
	hidden := 0
	out := schemaText.ReplaceAllFunc(raw, func(member []byte) []byte {
		at := schemaText.FindSubmatch(member)
		var text string
		if json.Unmarshal(at[2], &text) != nil {
			return member
		}
		clean, n := Visible(text)
		quoted, err := jsontext.AppendQuote(nil, clean)
		if n == 0 || err != nil {
			return member
		}
		hidden += n
		return append(bytes.Clone(at[1]), quoted...)
	})
	return out, hidden
}
