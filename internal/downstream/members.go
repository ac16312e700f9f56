package downstream

import (
	"encoding/json"
	"strings"
)

// A member is one name and value of an object, in the object's own order.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in order. It scans instead of
// decoding: a catalog of a thousand tools is made of these at every start.
func members(raw json.RawMessage) []member {
	at := blank(raw, 0)
	if at >= len(raw) || raw[at] != '{' {
		return nil
	}
	var out []member
	at++
	for {
		at = blank(raw, at)
		if at >= len(raw) || raw[at] != '"' {
			return out
		}
		end := after(raw, at)
		name := string(raw[at+1 : max(at+1, end-1)])
		if strings.Contains(name, `\`) && json.Unmarshal(raw[at:end], &name) != nil {
			return out
		}
		at = blank(raw, end)
		if at >= len(raw) || raw[at] != ':' {
			return out
		}
		at = blank(raw, at+1)
		end = after(raw, at)
		if end == at {
			return out
		}
		out = append(out, member{name, raw[at:end:end]})
		at = blank(raw, end)
		if at >= len(raw) || raw[at] != ',' {
			return out
		}
		at++
	}
}

// blank is the index of the first byte from at on that is not white space.
func blank(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r') {
		at++
	}
	return at
}

// after is the index behind the value that begins at at.
func after(raw []byte, at int) int {
	depth := 0
	for i := at; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(raw))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return len(raw)
}
