package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// expand puts the values of variables into a text: ${NAME} is one, $${ means
// ${ itself, and every other $ is what it is. It returns the names used.
func (c *Client) expand(text string) (expanded string, used []string, fault *diag.Fault) {
	if !strings.Contains(text, "${") {
		return text, nil, nil
	}
	var b strings.Builder
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			b.WriteString(text)
			return b.String(), used, nil
		}
		if at > 0 && text[at-1] == '$' {
			b.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		b.WriteString(text[:at])
		name, rest, closed := strings.Cut(text[at+2:], "}")
		v, known := c.o.Variables[name]
		if !closed || !known {
			return "", nil, c.unknown(name, closed)
		}
		b.WriteString(v.Value)
		used = append(used, name)
		text = rest
	}
}

func (c *Client) unknown(name string, closed bool) *diag.Fault {
	if !closed {
		return badRequest("write ${NAME}; $${ is a literal ${", `"${" has no closing "}"`)
	}
	f := badRequest("", "the operator does not offer the variable %q", name)
	f.Hint = "to offer it, the operator adds to patchbay.yaml: egress: {variables: [" + name + "]}"
	if names := c.Variables(); len(names) > 0 {
		f.Hint = "the variables are " + diag.OneOf(names, 12) + "; " + f.Hint
		f.Suggestions = diag.Closer(name, names, 3)
	}
	return f
}

// expandJSON puts variables into the texts of a JSON value, keys left as they
// are, and nothing else of it is changed.
func (c *Client) expandJSON(raw json.RawMessage) (json.RawMessage, []string, *diag.Fault) {
	if !bytes.Contains(raw, []byte("{")) || !bytes.Contains(raw, []byte("$")) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw, nil, nil
	}
	var out bytes.Buffer
	var used []string
	done := 0
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		kind, index := dec.StackIndex(dec.StackDepth())
		key := kind == '{' && index%2 == 0
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, badRequest("", "the body is not JSON: %v", err)
		}
		if tok.Kind() != '"' || key {
			continue
		}
		text := tok.String()
		full, names, fault := c.expand(text)
		if fault != nil {
			return nil, nil, fault
		}
		if full == text {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, full)
		if err != nil {
			return nil, nil, badRequest("", "a variable of the body is not UTF-8")
		}
		out.Write(raw[done : before+len(raw[before:])-len(bytes.TrimLeft(raw[before:], " \t\r\n,:"))])
		out.Write(quoted)
		done = int(dec.InputOffset())
		used = append(used, names...)
	}
	out.Write(raw[done:])
	return out.Bytes(), used, nil
}

// asHost returns the values of variables as the name of a host has them: in lower case.
func (c *Client) asHost(names []string) []string {
	return lists.Each(names, func(name string) string { return strings.ToLower(c.o.Variables[name].Value) })
}
